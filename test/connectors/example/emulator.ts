import { createGrants, type Grants } from '../../../emulators/kit/grants.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../../../emulators/kit/server.ts'

export interface ExampleNote {
  id: string
  folder: string
  title: string
  text: string
  updatedAt: number
  readers: string[]
}

export interface ExampleEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly clientId: string
  readonly clientSecret: string
  readonly account: string
  readonly grants: Grants
  readonly notes: Map<string, ExampleNote>
  add(note: Partial<ExampleNote>): string
  change(id: string, change: Partial<ExampleNote>): void
  remove(id: string): void
  /** The settings of a service that uses the emulator. */
  readonly env: Readonly<Record<string, string>>
}

const refused = (status: number, error: string): EmulatorReply => ({ status, json: { error } })

/** A small server that behaves like Example and refuses what it refuses. Replace its routes with the provider's. */
export async function startExampleEmulator({
  now = Date.now,
  port = 0,
}: { now?: () => number; port?: number } = {}): Promise<ExampleEmulator> {
  const notes = new Map<string, ExampleNote>()
  /** Ids of changed and deleted notes, in order. */
  const log: string[] = []
  const client = { clientId: 'example-client', clientSecret: 'example-secret' }
  const grants = createGrants({
    ...client,
    tokenPrefix: 'example-',
    accessTokenSeconds: 3600,
    rotatesRefreshTokens: true,
    now,
  })
  const routes = { ...oauthRoutes(grants), ...noteRoutes(notes, log) }
  const server = await startEmulatorServer({
    port,
    handle(request) {
      const route = routes[`${request.method} ${request.path.replace(/^(\/v1\/notes)\/.+$/, '$1/{id}')}`]
      if (route === undefined) return refused(404, 'unknown_route')
      if (!request.path.startsWith('/v1/')) return route(request)
      const token = grants.check(request.bearer)
      return token === 'valid' ? route(request) : refused(401, `token_${token}`)
    },
  })
  return {
    ...server,
    ...client,
    account: 'acme',
    grants,
    notes,
    env: {
      EXAMPLE_CLIENT_ID: client.clientId,
      EXAMPLE_CLIENT_SECRET: client.clientSecret,
      EXAMPLE_API_URL: server.url,
    },
    add(note) {
      const id = `n${String(log.length + 1).padStart(6, '0')}`
      const readers = ['demo.user@acme.example']
      notes.set(id, { id, folder: 'General', title: 'A note', text: '', updatedAt: now(), readers, ...note })
      log.push(id)
      return id
    },
    change(id, change) {
      const note = notes.get(id)
      if (note === undefined) throw new Error(`there is no note ${id}`)
      notes.set(id, { ...note, updatedAt: now(), ...change })
      log.push(id)
    },
    remove(id) {
      notes.delete(id)
      log.push(id)
    },
  }
}

type Route = (request: EmulatorRequest) => EmulatorReply

function oauthRoutes(grants: Grants): Record<string, Route> {
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

function noteRoutes(notes: ReadonlyMap<string, ExampleNote>, log: readonly string[]): Record<string, Route> {
  const limitOf = ({ query }: EmulatorRequest): number => Number(query.get('limit') ?? 100)
  return {
    'GET /v1/me': () => ({ json: { id: 'acme', name: 'Acme' } }),
    'GET /v1/notes': (request) => {
      const after = request.query.get('after') ?? ''
      const rest = [...notes.keys()].toSorted().filter((id) => id > after)
      const ids = rest.slice(0, limitOf(request))
      return { json: { ids, more: rest.length > ids.length } }
    },
    'GET /v1/notes/{id}': ({ path }) => {
      const note = notes.get(path.slice('/v1/notes/'.length))
      if (note === undefined) return refused(404, 'no_such_note')
      return { json: { ...note, updatedAt: new Date(note.updatedAt).toISOString() } }
    },
    'GET /v1/position': () => ({ json: { position: log.length } }),
    'GET /v1/changes': (request) => {
      const since = Number(request.query.get('since'))
      if (!Number.isInteger(since) || since > log.length) return refused(410, 'unknown_position')
      const ids = log.slice(since, since + limitOf(request))
      const changes = [...new Set(ids)].map((id) => ({ id, isDeleted: !notes.has(id) }))
      const position = since + ids.length
      return { json: { changes, position, more: position < log.length } }
    },
  }
}
