import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

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
  const owners = new LRUCache<string, string>({ max: remembered })
  return {
    ownerOfRequest: (authorization) =>
      authorization === undefined ? NO_TOKEN : (owners.get(keyOf(authorization)) ?? UNKNOWN),
    remember(authorization, owner) {
      if (authorization !== undefined) owners.set(keyOf(authorization), owner)
    },
  }
}

function keyOf(authorization: string): string {
  return hash('sha256', authorization, 'base64')
}
