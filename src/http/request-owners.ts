import { createHash } from 'node:crypto'

/** Chooses the owner on whose behalf a request is served until it is authenticated. */
export interface RequestOwners {
  ownerOfRequest(authorization: string | undefined): string
  /** Called once the token is known to be the owner's. */
  remember(authorization: string | undefined, owner: string): void
}

const REMEMBERED = 10_000
const NO_TOKEN = 'no token'
/** One owner for all tokens that were never accepted, so that made-up tokens delay no other caller. */
const UNKNOWN = 'unknown token'

/** Caches the owners of tokens by hash. The cache affects queues only: every request is still authenticated. */
export function createRequestOwners(remembered = REMEMBERED): RequestOwners {
  const owners = new Map<string, string>()
  return {
    ownerOfRequest: (authorization) =>
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
