import {
  AddressNotAllowed,
  isPublicAddress,
  type Resolve,
  systemResolve,
} from '../../../guarded-requests/addresses.ts'
import { createGuardedFetch } from '../../../guarded-requests/guarded-fetch.ts'
import { createOpenRequest } from '../../../guarded-requests/guarded-request.ts'
import { type FormAccount, formFault } from '../../form.ts'
import { type JsonObject, ProviderError, type ProviderSession } from '../../adapter.ts'
import type { AdapterDependencies } from '../../provider.ts'
import { createRest, sendWithToken } from '../../rest.ts'
import { createSend, restOptionsOf, type Send } from './client.ts'
import { followOutside } from './download.ts'

export interface SiteOptions extends AdapterDependencies {
  /** Replaces the address of every site; null: sites keep their own. */
  apiUrl: string | null
  /** Items per page of a run; 50 by default. */
  itemsPerPage?: number
  /** For tests: how names are resolved, and which addresses may be connected to; only public ones by default. */
  resolve?: Resolve
  isAllowed?: (address: string) => boolean
}

/**
 * A product of a site, such as Confluence. `open` creates its API; a base address has no slash at its end. `download`
 * sends a request that is answered with a file, here or elsewhere.
 */
export interface Product<Api> {
  name: string
  open(base: string, send: Send, download: Send): Api
}

/** The login fields of the form. */
interface Login {
  site: string
  email: string
  token: string
}

/** A product of the sites that users name, with an account's email and API token. */
export function createSites<Api extends { accountId(): Promise<string> }>(
  { name, open }: Product<Api>,
  { apiUrl, clock, resolve = systemResolve, isAllowed = isPublicAddress }: SiteOptions,
) {
  // The operator vouches for the address of a gateway.
  const outside = createGuardedFetch(createOpenRequest(resolve, isAllowed))
  const guarded = apiUrl === null ? outside : null
  const isGateway = (url: string): boolean =>
    apiUrl !== null && new URL(url).origin === new URL(apiUrl).origin
  const restOptions = restOptionsOf(name, guarded)
  const rest = createRest(restOptions)
  const files = createRest({
    ...restOptions,
    fetch: followOutside(name, guarded ?? fetch, (input, init) =>
      isGateway(String(input)) ? fetch(input, init) : outside(input, init),
    ),
  })
  const openAt = (site: string, send: Send, download: Send = send): Api =>
    open(new URL(apiUrl ?? site).href.replace(/\/+$/, ''), createSend(name, send), createSend(name, download))
  return {
    /** The API for a run. @throws ProviderError `auth` unless the token is still the account's */
    async open(
      session: ProviderSession,
      { site, accountId }: { site: string; accountId: string },
    ): Promise<Api> {
      const api = openAt(
        site,
        (request) => rest.send(session, request),
        (request) => files.send(session, request),
      )
      // Without this check, a site could answer a refused token with only its public content.
      if ((await api.accountId()) !== accountId)
        throw new ProviderError('auth', 'The API token now belongs to another account', { code: '401' })
      return api
    },
    /** Checks a login. `choose` checks the rest of the form and returns what else runs need. */
    async connect(
      { site, email, token }: Login,
      signal: AbortSignal,
      choose: (api: Api) => Promise<JsonObject>,
    ): Promise<FormAccount> {
      const accessToken = Buffer.from(`${email}:${token}`).toString('base64')
      const api = openAt(site, (request) =>
        sendWithToken(request, accessToken, restOptions, { signal, now: clock.now() }),
      )
      const accountId = await accountOf(name, api)
      const chosen = await choose(api)
      const { host } = new URL(site)
      return {
        externalAccountId: `${host}/${accountId}`,
        displayName: host,
        accessToken,
        extra: { site, accountId, ...chosen },
      }
    },
  }
}

/** The token's account. A refusal by the site is reported as an error in the form. */
async function accountOf(name: string, api: { accountId(): Promise<string> }): Promise<string> {
  try {
    return await api.accountId()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.cause instanceof AddressNotAllowed) throw formFault('site', 'site must be at a public address')
    if (error.kind === 'auth') throw formFault('token', error.message)
    if (error.code === '404') throw formFault('site', `There is no ${name} at this address`)
    throw error
  }
}

/** @throws AppError unless the account can read every named project or space, or else any */
export function requireFound(
  name: string,
  what: 'project' | 'space',
  { found, missing }: { found: ReadonlyMap<string, unknown>; missing: readonly string[] },
): void {
  if (missing.length > 0)
    throw formFault(`${what}s`, `${name} has no ${what} ${missing.join(', ')} that the account can read`)
  if (found.size === 0) throw formFault(`${what}s`, `The account can read no ${what}`)
}
