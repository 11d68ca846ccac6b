import {
  createDevelopmentIssuer,
  createIssuer,
  createTokenVerifier,
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER_PATH,
  type Issuer,
  type VerifyToken,
} from '../access/index.ts'
import { findLocalWorkspace } from '../bootstrap/index.ts'
import type { Settings } from '../config.ts'
import {
  type BackendSignIn,
  type ConsoleSignIn,
  createTokenExchange,
  METADATA_PATH,
} from '../console/index.ts'
import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { ServerOptions } from '../http/create-server.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { isLoopback } from '../kernel/loopback.ts'
import { makeOnce } from '../kernel/make-once.ts'
import { addMember, findRole } from '../organizations/index.ts'

const NO_CLIENT = "set OIDC_CLIENT_ID to the console's client ID at the issuer"

export interface ConsoleIdentity {
  verifyToken: VerifyToken
  /** Runs for each signed-in request, once its user is known. */
  onSignIn(userId: string): Promise<void>
  mounted: ServerOptions<unknown>['mounted']
  /** The issuer's URL; null when sign-in is off. */
  issuer(): string | null
  signIn(): ConsoleSignIn
  /** How this service completes a sign-in for the page; null when the page does it. */
  backendSignIn: BackendSignIn | null
}

/** Who signs people in at the console. With `nobody`, `reason` says why and what to set. */
export type SignIn =
  | { by: 'issuer'; issuer: string; audience: string }
  | { by: 'development' }
  | { by: 'nobody'; reason: string }

/** Chooses the configured issuer, or the development issuer when only this machine reaches the service. */
export function signInOf({ OIDC_ISSUER, OIDC_AUDIENCE, PUBLIC_URL, HOST }: Settings): SignIn {
  if (OIDC_ISSUER !== undefined && OIDC_AUDIENCE !== undefined)
    return { by: 'issuer', issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE }
  // Behind a proxy, a service on loopback is reached from outside, as PUBLIC_URL shows.
  const outside =
    PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname)
      ? 'PUBLIC_URL'
      : isLoopback(HOST)
        ? undefined
        : 'HOST'
  if (outside === undefined) return { by: 'development' }
  const reason = `set OIDC_ISSUER and OIDC_AUDIENCE (the built-in development issuer is for loopback only, and ${outside} is not loopback)`
  return { by: 'nobody', reason }
}

/** Whether the owner is also the operator: the service runs on a developer's machine without an operator token. */
export function isOperatedLocally(settings: Settings): boolean {
  const { DATABASE_URL, OPERATOR_TOKEN } = settings
  return DATABASE_URL === undefined && OPERATOR_TOKEN === undefined && signInOf(settings).by === 'development'
}

/** Why sign-in at the console is off, and what to set; null when it works. */
export function signInObstacle(settings: Settings): string | null {
  const signIn = signInOf(settings)
  if (signIn.by === 'nobody') return signIn.reason
  return signIn.by === 'issuer' && settings.OIDC_CLIENT_ID === undefined ? NO_CLIENT : null
}

/** Verifies console tokens of the chosen issuer. Users of the development issuer own the local workspace. */
export function createConsoleIdentity(deps: {
  settings: Settings
  db: Db
  clock: Clock
  fetch: typeof fetch
  publicUrl: () => string
}): ConsoleIdentity {
  const { settings, clock } = deps
  const signIn = signInOf(settings)
  switch (signIn.by) {
    case 'development':
      return withDevelopmentIssuer(deps)
    case 'nobody':
      return {
        verifyToken: () => refuse(signIn.reason),
        onSignIn: async () => {},
        mounted: undefined,
        issuer: () => null,
        signIn: () => ({ by: 'nobody', reason: signIn.reason }),
        backendSignIn: null,
      }
    case 'issuer': {
      const { issuer: url, audience } = signIn
      const issuer = createIssuer(url, deps.fetch)
      return {
        verifyToken: createTokenVerifier({ issuer: url, audience, keys: issuer.keys, clock }),
        onSignIn: async () => {},
        mounted: undefined,
        issuer: () => url,
        signIn: () => signInAt(url, settings, deps.publicUrl()),
        backendSignIn: backendSignInAt(issuer, settings, deps.fetch),
      }
    }
  }
}

/** ID tokens are issued to the client itself: the API accepts them when its audience is the client. */
function signInAt(
  issuer: string,
  {
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET,
    OIDC_AUDIENCE,
    OIDC_SCOPES: scope,
    OIDC_RESOURCE,
  }: Settings,
  publicUrl: string,
): ConsoleSignIn {
  if (clientId === undefined) return { by: 'nobody', reason: NO_CLIENT }
  return {
    by: 'issuer',
    issuer,
    clientId,
    scope,
    resource: OIDC_RESOURCE ?? null,
    metadataUrl: OIDC_CLIENT_SECRET === undefined ? null : publicUrl + METADATA_PATH,
    token: clientId === OIDC_AUDIENCE ? 'id_token' : 'access_token',
  }
}

/** A confidential client: the page asks this service for tokens, and this service asks the issuer. */
function backendSignInAt(
  issuer: Issuer,
  { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }: Settings,
  fetchFrom: typeof fetch,
): BackendSignIn | null {
  if (clientId === undefined || clientSecret === undefined) return null
  return {
    async endpoints() {
      const { authorization_endpoint, ...found } = await issuer.metadata()
      return {
        issuer: found.issuer,
        authorization_endpoint: published('authorization_endpoint', authorization_endpoint),
        end_session_endpoint: found.end_session_endpoint,
        scopes_supported: found.scopes_supported,
      }
    },
    exchange: createTokenExchange({
      clientId,
      clientSecret,
      async endpoint() {
        const { token_endpoint, token_endpoint_auth_methods_supported } = await issuer.metadata()
        return {
          url: published('token_endpoint', token_endpoint),
          authMethods: token_endpoint_auth_methods_supported,
        }
      },
      fetch: fetchFrom,
    }),
  }
}

function published(name: string, address: string | undefined): string {
  if (address !== undefined) return address
  throw new AppError('upstream_error', `The identity provider publishes no ${name}; check OIDC_ISSUER`)
}

async function refuse(reason: string): Promise<never> {
  throw new AppError('not_configured', `The console needs an identity provider: ${reason}`)
}

function withDevelopmentIssuer(deps: {
  settings: Settings
  db: Db
  clock: Clock
  publicUrl: () => string
}): ConsoleIdentity {
  const { settings, db, clock } = deps
  const issuer = makeOnce(() =>
    createDevelopmentIssuer({ publicUrl: deps.publicUrl(), dataDir: settings.DATA_DIR, clock }),
  )
  let verifier: VerifyToken | undefined
  return {
    async verifyToken(authorization) {
      const development = await issuer()
      verifier ??= createTokenVerifier({
        issuer: development.issuer,
        audience: DEVELOPMENT_AUDIENCE,
        keys: development.keys,
        clock,
      })
      return await verifier(authorization)
    },
    async onSignIn(userId) {
      const organizationId = await findLocalWorkspace(db)
      if (organizationId === undefined || (await findRole(db, organizationId, userId))) return
      const owner = { organizationId, userId, role: 'owner', at: clock.now() } as const
      await transact(db, (tx) => addMember(tx, owner))
    },
    issuer: () => `${deps.publicUrl()}${DEVELOPMENT_ISSUER_PATH}`,
    signIn: () => ({
      by: 'development',
      issuer: `${deps.publicUrl()}${DEVELOPMENT_ISSUER_PATH}`,
      clientId: 'console',
      scope: settings.OIDC_SCOPES,
      resource: null,
      metadataUrl: null,
      token: 'access_token',
    }),
    backendSignIn: null,
    mounted: {
      path: DEVELOPMENT_ISSUER_PATH,
      handle: async (request, response) => (await issuer()).handle(request, response),
    },
  }
}
