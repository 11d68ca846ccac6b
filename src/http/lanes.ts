import { createHash } from 'node:crypto'

/** In whose turn a request is served until its caller is authenticated. */
export interface Lanes {
  laneOf(authorization: string | undefined): string
  /** Called once the token is known to be the owner's. */
  remember(authorization: string | undefined, owner: string): void
}

const REMEMBERED = 10_000
const NO_TOKEN = 'no token'
/** One lane for all tokens that were never accepted: whoever makes them up delays nobody else. */
const UNKNOWN = 'unknown token'

/** Remembers to whom tokens belonged, by their hash. It decides about turns alone: every request is still authenticated. */
export function createLanes(remembered = REMEMBERED): Lanes {
  const owners = new Map<string, string>()
  return {
    laneOf: (authorization) =>
      authorization === undefined ? NO_TOKEN : (owners.get(hashOf(authorization)) ?? UNKNOWN),
    remember(authorization, owner) {
      if (authorization === undefined) return
      const hash = hashOf(authorization)
      if (owners.get(hash) === owner) return
      const [oldest] = owners.keys()
      if (owners.size >= remembered && oldest !== undefined) owners.delete(oldest)
      owners.set(hash, owner)
    },
  }
}

function hashOf(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64')
}
