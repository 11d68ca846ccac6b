import { createGrants, type Grants } from '../../../../emulators/kit/grants.ts'
import { type EmulatorServer, startEmulatorServer } from '../../../../emulators/kit/server.ts'
import { createNotes, type ExampleNotes } from '../notes-server.ts'

export interface ExampleEmulator
  extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'>, Omit<ExampleNotes, 'answer'> {
  readonly grants: Grants
  /** A token of the account. */
  token(): string
  /** The settings of a service that uses the emulator. */
  readonly env: Readonly<Record<string, string>>
}

/** A small server that behaves like Example and refuses what Example refuses. */
export async function startExampleEmulator({
  now = Date.now,
  port = 0,
}: { now?: () => number; port?: number } = {}): Promise<ExampleEmulator> {
  const grants = createGrants({
    clientId: '',
    clientSecret: '',
    tokenPrefix: 'example-',
    accessTokenSeconds: null,
    rotatesRefreshTokens: false,
    now,
  })
  const { answer, ...notes } = createNotes(now)
  const server = await startEmulatorServer({
    port,
    handle(request) {
      const token = grants.check(request.bearer)
      return answer(request, token === 'valid' ? null : `token_${token}`)
    },
  })
  const token = (): string => grants.issue('acme', '').accessToken
  return { ...server, ...notes, grants, token, env: { EXAMPLE_API_URL: server.url } }
}
