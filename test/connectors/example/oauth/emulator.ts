import { createGrants, type Grants } from '../../../../emulators/kit/grants.ts'
import { type EmulatorServer, startEmulatorServer } from '../../../../emulators/kit/server.ts'
import { createNotes, type ExampleNotes, refused, type Routes } from '../notes-server.ts'

export interface ExampleEmulator
  extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'>, Omit<ExampleNotes, 'answer'> {
  readonly clientId: string
  readonly clientSecret: string
  readonly account: string
  readonly grants: Grants
  /** The settings of a service that uses the emulator. */
  readonly env: Readonly<Record<string, string>>
}

/** A small server that behaves like Example and refuses what Example refuses. */
export async function startExampleEmulator({
  now = Date.now,
  port = 0,
}: { now?: () => number; port?: number } = {}): Promise<ExampleEmulator> {
  const client = { clientId: 'example-client', clientSecret: 'example-secret' }
  const grants = createGrants({
    ...client,
    tokenPrefix: 'example-',
    accessTokenSeconds: 3600,
    rotatesRefreshTokens: true,
    now,
  })
  const own = oauthRoutes(grants)
  const { answer, ...notes } = createNotes(now)
  const server = await startEmulatorServer({
    port,
    handle(request) {
      const token = grants.check(request.bearer)
      return answer(request, token === 'valid' ? null : `token_${token}`, own)
    },
  })
  return {
    ...server,
    ...client,
    ...notes,
    account: 'acme',
    grants,
    env: {
      EXAMPLE_CLIENT_ID: client.clientId,
      EXAMPLE_CLIENT_SECRET: client.clientSecret,
      EXAMPLE_API_URL: server.url,
    },
  }
}

function oauthRoutes(grants: Grants): Routes {
  return {
    'GET /authorize': ({ query }) => ({
      status: 302,
      headers: {
        location: grants.approve({
          account: 'acme',
          scope: query.get('scope') ?? '',
          redirectUri: query.get('redirect_uri') ?? '',
          state: query.get('state') ?? '',
          codeChallenge: query.get('code_challenge'),
        }),
      },
    }),
    'POST /token': ({ body }) => {
      const form = new URLSearchParams(body)
      const value = (name: string): string => form.get(name) ?? ''
      if (!grants.isClient(value('client_id'), value('client_secret'))) return refused(401, 'invalid_client')
      const grant =
        value('grant_type') === 'refresh_token'
          ? grants.refresh(value('refresh_token'))
          : grants.exchange({
              code: value('code'),
              redirectUri: value('redirect_uri'),
              codeVerifier: form.get('code_verifier'),
            })
      if (grant === null) return refused(400, 'invalid_grant')
      const { accessToken, refreshToken, scope } = grant
      return { json: { access_token: accessToken, refresh_token: refreshToken, expires_in: 3600, scope } }
    },
    'POST /revoke': ({ body }) => {
      grants.revoke(new URLSearchParams(body).get('token') ?? '')
      return { json: {} }
    },
  }
}
