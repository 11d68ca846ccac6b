import {
  createDevelopmentIssuer,
  createTokenVerifier,
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER_PATH,
  type DevelopmentIssuer,
  publishedKeys,
  type VerifyToken,
} from './access/index.ts'
import { findLocalWorkspace } from './bootstrap/index.ts'
import type { Settings } from './config.ts'
import type { Db } from './database/database.ts'
import type { ServerOptions } from './http/create-server.ts'
import type { Clock } from './kernel/clock.ts'
import { AppError } from './kernel/errors.ts'
import { addMember } from './organizations/index.ts'

export interface ConsoleIdentity {
  verifyToken: VerifyToken
  /** Runs for each signed-in request, once its user is known. */
  onSignIn(userId: string): Promise<void>
  mounted: ServerOptions<unknown>['mounted']
}

/**
 * Who signs console tokens: the configured issuer; without one and on loopback the built-in development issuer, whose
 * users own the local workspace; otherwise nobody, and the console says what to set.
 */
export function createConsoleIdentity(deps: {
  settings: Settings
  db: Db
  clock: Clock
  fetch: typeof fetch
  publicUrl: () => string
}): ConsoleIdentity {
  const { settings, clock } = deps
  if (settings.OIDC_ISSUER !== undefined && settings.OIDC_AUDIENCE !== undefined) {
    const issuer = settings.OIDC_ISSUER
    const verifyToken = createTokenVerifier({
      issuer,
      audience: settings.OIDC_AUDIENCE,
      keys: publishedKeys(issuer, deps.fetch),
      clock,
    })
    return { verifyToken, onSignIn: async () => {}, mounted: undefined }
  }
  if (!isLoopback(settings.HOST)) return { verifyToken: refuse, onSignIn: async () => {}, mounted: undefined }
  return withDevelopmentIssuer(deps)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

async function refuse(): Promise<never> {
  throw new AppError(
    'not_configured',
    'The console needs an identity provider: set OIDC_ISSUER and OIDC_AUDIENCE',
  )
}

function withDevelopmentIssuer(deps: {
  settings: Settings
  db: Db
  clock: Clock
  publicUrl: () => string
}): ConsoleIdentity {
  const { settings, db, clock } = deps
  let made: Promise<DevelopmentIssuer> | undefined
  const issuer = (): Promise<DevelopmentIssuer> =>
    (made ??= createDevelopmentIssuer({ publicUrl: deps.publicUrl(), dataDir: settings.DATA_DIR }))
  let verifier: VerifyToken | undefined
  return {
    async verifyToken(bearer) {
      const development = await issuer()
      verifier ??= createTokenVerifier({
        issuer: development.issuer,
        audience: DEVELOPMENT_AUDIENCE,
        keys: development.keys,
        clock,
      })
      return await verifier(bearer)
    },
    async onSignIn(userId) {
      const organizationId = await findLocalWorkspace(db)
      if (organizationId !== undefined)
        await addMember(db, { organizationId, userId, role: 'owner', at: clock.now() })
    },
    mounted: {
      path: DEVELOPMENT_ISSUER_PATH,
      handle: async (request, response) => (await issuer()).handle(request, response),
    },
  }
}
