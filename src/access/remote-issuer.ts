import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { HOUR_MS, MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { readJson } from '../kernel/read-json.ts'

const TIMEOUT_MS = 5_000
const ANSWER_BYTES_MAX = 1024 * 1024
/** The least time between two requests to one issuer, so that tokens with made-up key IDs cannot flood it. */
const PAUSE_MS = 1_000
const KEYS_FRESH_MS = 10 * MINUTE_MS
const METADATA_FRESH_MS = HOUR_MS

const address = z.url({ protocol: /^https?$/ })
const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: address,
  authorization_endpoint: address.optional(),
  token_endpoint: address.optional(),
  end_session_endpoint: address.optional(),
  scopes_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** OpenID Connect Discovery 1.0. */
export type IssuerMetadata = z.output<typeof Metadata>

/** An OpenID Connect issuer. Its methods throw AppError `upstream_error` while it is unreachable. */
export interface Issuer {
  metadata(): Promise<IssuerMetadata>
  /** Finds a token's key among the published ones. An unknown key ID is looked up again within a second. */
  keys: JWTVerifyGetKey
}

/** The issuer at this URL. It requests nothing before its first use. */
export function createIssuer(url: string, fetchFrom: typeof fetch): Issuer {
  const metadata = refreshed(METADATA_FRESH_MS, async () => {
    const found = Metadata.parse(await getJson(`${url}/.well-known/openid-configuration`, fetchFrom))
    if (withoutSlash(found.issuer) !== withoutSlash(url))
      throw new Error('the discovery document names another issuer')
    return found
  })
  const keySet = refreshed(KEYS_FRESH_MS, async () => {
    const { jwks_uri } = await metadata.get()
    const keys = await getJson(jwks_uri, fetchFrom).catch((error: unknown) => {
      // The discovery document may name a new address for the keys.
      metadata.expire()
      throw error
    })
    return createLocalJWKSet(KeySet.parse(keys))
  })
  return {
    metadata: () => metadata.get().catch(unreachable),
    async keys(header, token) {
      const known = await keySet.get().catch(unreachable)
      try {
        return await known(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      }
      const reloaded = await keySet.reload().catch(unreachable)
      return await reloaded(header, token)
    },
  }
}

interface Refreshed<Value> {
  get(): Promise<Value>
  /** Loads the value again, at most once in `PAUSE_MS`; concurrent callers share one load. */
  reload(): Promise<Value>
  expire(): void
}

/** A value that is loaded at its first use, and again once it is older than `freshMs`. */
function refreshed<Value>(freshMs: number, load: () => Promise<Value>): Refreshed<Value> {
  let held: { value: Value; at: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<Value> | undefined
  const loadOnce = async (): Promise<Value> => {
    const waitMs = triedAt + PAUSE_MS - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    triedAt = performance.now()
    const value = await load()
    held = { value, at: performance.now() }
    return value
  }
  const reload = (): Promise<Value> => (loading ??= loadOnce().finally(() => (loading = undefined)))
  return {
    get: async () =>
      held !== undefined && performance.now() - held.at < freshMs ? held.value : await reload(),
    reload,
    expire: () => void (held = undefined),
  }
}

async function getJson(url: string, fetchFrom: typeof fetch): Promise<unknown> {
  const response = await fetchFrom(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return await readJson(response, ANSWER_BYTES_MAX)
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}

function unreachable(cause: unknown): never {
  throw new AppError(
    'upstream_error',
    'The identity provider cannot be reached; check that this service can reach OIDC_ISSUER, and try again',
    { cause },
  )
}
