import { ErrorTimeout, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { Credentials } from '../api/client.ts'
import { unreachable } from '../api/errors.ts'
import type { Config } from './config.ts'

export type SessionState =
  | { is: 'signed-in' }
  /** `ended`: the issuer or the service no longer accepts the session. */
  | { is: 'signed-out'; because: 'new' | 'ended' }
  | { is: 'signed-out'; because: 'failed'; message: string }
  /** Nobody can sign in until the operator fixes the configuration. */
  | { is: 'impossible'; reason: string }

export interface Session extends Credentials {
  state(): SessionState
  subscribe(listener: () => void): () => void
  /** Redirects to the issuer, which returns the user to the current URL. */
  signIn(): Promise<void>
  signOut(): Promise<void>
}

const CALLBACK = '/console/callback'
const HOME = '/console/'

/**
 * The user's session at the issuer: authorization code with PKCE. Tokens stay in this tab's session storage and are
 * renewed with a refresh token if the issuer provides one.
 */
export async function openSession(config: Config): Promise<Session> {
  const { signIn } = config
  if (signIn.by === 'nobody') return impossible(signIn.reason)
  const manager = createManager(config.publicUrl, signIn)
  let user: User | null = null
  let state: SessionState = { is: 'signed-out', because: 'new' }
  const listeners = new Set<() => void>()
  const become = (next: SessionState, nextUser: User | null): void => {
    state = next
    user = nextUser
    for (const listener of listeners) listener()
  }
  const end = (because: 'new' | 'ended'): void => {
    become({ is: 'signed-out', because }, null)
    void manager.removeUser()
  }
  const renew = createRenewal(manager)
  const liveUser = async (): Promise<User | null> => {
    if (user === null || user.expired !== true) return user
    const renewed = user.refresh_token === undefined ? null : await renew()
    if (renewed === null) end('ended')
    else user = renewed
    return renewed
  }
  manager.events.addAccessTokenExpiring(() => {
    if (user?.refresh_token === undefined) return
    // After a failure, the next request tries again.
    renew().then(
      (renewed) => (user = renewed ?? user),
      () => undefined,
    )
  })

  if (globalThis.location.pathname === CALLBACK) state = await complete(manager)
  user = await manager.getUser()
  if (state.is === 'signed-out' && state.because === 'new' && user !== null && (await liveUser()) !== null)
    state = { is: 'signed-in' }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async token() {
      const live = await liveUser()
      if (live === null) return null
      return (signIn.token === 'id_token' ? live.id_token : live.access_token) ?? null
    },
    onRefused() {
      if (state.is === 'signed-in') end('ended')
    },
    async signIn() {
      try {
        await leave(manager, signIn.scope)
      } catch (error) {
        become({ is: 'signed-out', because: 'failed', message: messageOf(error) }, null)
      }
    },
    async signOut() {
      const hasEnd =
        (await manager.metadataService.getEndSessionEndpoint().catch(() => undefined)) !== undefined
      if (hasEnd) await manager.signoutRedirect()
      else {
        globalThis.history.replaceState(null, '', HOME)
        end('new')
      }
    },
  }
}

/**
 * Renews the session; concurrent callers share one renewal. Returns null if the issuer refuses. Throws an ApiError if
 * the network is down, so that the session and the user's input survive.
 */
function createRenewal(manager: UserManager): () => Promise<User | null> {
  let renewing: Promise<User | null> | undefined
  return () =>
    (renewing ??= manager
      .signinSilent()
      .catch((error: unknown) => {
        if (error instanceof TypeError || error instanceof ErrorTimeout) throw unreachable(error)
        return null
      })
      .finally(() => (renewing = undefined)))
}

function createManager(
  publicUrl: string,
  { issuer, clientId, scope, resource, metadataUrl }: Exclude<Config['signIn'], { by: 'nobody' }>,
): UserManager {
  const store = new WebStorageStateStore({ store: globalThis.sessionStorage })
  return new UserManager({
    authority: issuer,
    ...(metadataUrl === null ? {} : { metadataUrl }),
    client_id: clientId,
    redirect_uri: publicUrl + CALLBACK,
    post_logout_redirect_uri: publicUrl + HOME,
    scope,
    // `resource` is the standard parameter (RFC 8707), `audience` is Auth0's.
    ...(resource === null ? {} : { resource, extraQueryParams: { audience: resource } }),
    userStore: store,
    stateStore: store,
    // Without a refresh token, silent renewal opens a frame, which the content security policy blocks.
    automaticSilentRenew: false,
  })
}

/** Completes a sign-in at the redirect URI, then restores the URL where it started. */
async function complete(manager: UserManager): Promise<SessionState> {
  try {
    const user = await manager.signinRedirectCallback()
    globalThis.history.replaceState(null, '', returnAddress(user.state))
    return { is: 'signed-in' }
  } catch (error) {
    globalThis.history.replaceState(null, '', HOME)
    return { is: 'signed-out', because: 'failed', message: messageOf(error) }
  }
}

/** Redirects to the issuer, which returns the user to the current URL. */
async function leave(manager: UserManager, scope: string): Promise<void> {
  const { scopes_supported: supported } = await manager.metadataService.getMetadata()
  await manager.signinRedirect({
    scope: supportedScope(scope, supported),
    state: globalThis.location.href.slice(globalThis.location.origin.length),
  })
}

/** Removes `offline_access` for Google, which rejects it. Other providers require it for a refresh token. */
function supportedScope(scope: string, supported: string[] | undefined): string {
  const isRefused = (name: string): boolean =>
    name === 'offline_access' && supported !== undefined && !supported.includes(name)
  return scope
    .split(' ')
    .filter((name) => !isRefused(name))
    .join(' ')
}

/** Allows only URLs of the console, to prevent open redirects. */
function returnAddress(state: unknown): string {
  return typeof state === 'string' && state.startsWith(HOME) && !state.startsWith(CALLBACK) ? state : HOME
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'The issuer gave no reason.'
}

function impossible(reason: string): Session {
  const state: SessionState = { is: 'impossible', reason }
  return {
    state: () => state,
    subscribe: () => () => {},
    token: async () => null,
    onRefused: () => {},
    signIn: async () => {},
    signOut: async () => {},
  }
}
