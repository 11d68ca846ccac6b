import { controlRoutes } from './control-routes.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import { createRateLimit } from '../kit/rate-limit.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../kit/server.ts'
import { download, driveRoutes } from './drive-routes.ts'
import { DriveState, type EmulatedDrive } from './drive-state.ts'
import { login } from './login.ts'
import { mailRoutes } from './mail-routes.ts'
import { MailState } from './mail-state.ts'
import { DOMAINS, MicrosoftPeople, TENANT } from './people.ts'
import { type GraphCall, graphError, type GraphRoute, NOT_FOUND, queryFault, selected } from './reply.ts'
import { teamsRoutes } from './teams-routes.ts'
import { TeamsState } from './teams-state.ts'

const ACCOUNT = 'ada'
const USER = new Set(['id', 'displayName', 'mail', 'userPrincipalName', 'givenName', 'surname'])

export interface MicrosoftEmulatorOptions {
  now?: () => number
  port?: number
  /** Requests per minute; unlimited by default. */
  perMinute?: number
}

export interface MicrosoftEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly clientId: string
  readonly clientSecret: string
  readonly grants: Grants
  readonly people: MicrosoftPeople
  readonly files: DriveState
  readonly mail: MailState
  readonly teams: TeamsState
  /** The account's own OneDrive. */
  readonly drive: EmulatedDrive
  /** The settings of a service that uses the emulator. */
  readonly env: Readonly<Record<string, string>>
}

/** The parts of the Microsoft identity platform and Microsoft Graph that the connectors use, for Ada's account. */
export async function startMicrosoftEmulator(
  options: MicrosoftEmulatorOptions = {},
): Promise<MicrosoftEmulator> {
  const { now = Date.now, port = 0, perMinute = null } = options
  const people = new MicrosoftPeople()
  for (const name of [ACCOUNT, 'bob', 'cy', 'dee']) people.add(name)
  const files = new DriveState(now)
  const mail = new MailState(now)
  const teams = new TeamsState(now)
  const drive = files.createDrive('OneDrive', null, [{ user: ACCOUNT, roles: ['owner'] }])
  const client = { clientId: 'microsoft-client', clientSecret: 'microsoft-secret' }
  const grants = createGrants({
    ...client,
    tokenPrefix: 'eyJ0',
    accessTokenSeconds: 3600,
    rotatesRefreshTokens: true,
    now,
  })
  const limit = createRateLimit(perMinute, now)
  const ofDrives = { state: files, people, account: ACCOUNT, now }
  const routes = [
    ...userRoutes(people),
    ...driveRoutes(ofDrives),
    ...mailRoutes(mail),
    ...teamsRoutes({ state: teams, people, account: ACCOUNT, now }),
  ]

  function handle(request: EmulatorRequest): EmulatorReply {
    const answered = login(request, {
      ...client,
      grants,
      account: ACCOUNT,
      tenants: ['common', 'organizations', TENANT, ...DOMAINS],
    })
    if (answered !== null) return answered
    const [, file] = /^\/download\/([\w-]+)$/.exec(request.path) ?? []
    if (file !== undefined) return download(ofDrives, { ...request, url: server.url, matched: [file] })
    const wait = limit.take(ACCOUNT)
    if (wait !== null)
      return graphError(429, 'TooManyRequests', 'Too many requests', { 'retry-after': String(wait) })
    return refusalOf(grants, request.bearer) ?? routed(request, { routes, grants, url: server.url })
  }

  const server = await startEmulatorServer({
    port,
    handle,
    faultBody: (status) => ({ error: { code: 'generalException', message: `Status ${status}` } }),
    control: controlRoutes({ files, drive, mail, teams, grants }),
  })
  return {
    ...server,
    ...client,
    grants,
    people,
    files,
    mail,
    teams,
    drive,
    env: {
      MICROSOFT_CLIENT_ID: client.clientId,
      MICROSOFT_CLIENT_SECRET: client.clientSecret,
      MICROSOFT_API_URL: server.url,
      MICROSOFT_AUTH_URL: server.url,
    },
  }
}

/** Answers a Graph request with the first matching route. */
function routed(
  request: EmulatorRequest,
  { routes, grants, url }: { routes: readonly GraphRoute[]; grants: Grants; url: string },
): EmulatorReply {
  const path = request.path.startsWith('/v1.0/') ? request.path.slice('/v1.0'.length) : ''
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match === null || request.method !== 'GET') continue
    const granted = grants.grantOf(request.bearer ?? '')?.scope.split(' ') ?? []
    if (!route.scopes.some((scope) => granted.includes(scope)))
      return graphError(403, 'accessDenied', 'Insufficient privileges to complete the operation.')
    const matched = match.slice(1).map((part) => decodeURIComponent(part))
    return queryFault(request.query, route) ?? route.answer({ ...request, url, matched })
  }
  return graphError(400, 'BadRequest', `Resource not found for the segment '${path}'.`)
}

function refusalOf(grants: Grants, bearer: string | null): EmulatorReply | null {
  const words = {
    unknown: 'Access token validation failure.',
    expired: 'Lifetime validation failed, the token is expired.',
    revoked: 'Continuous access evaluation resulted in challenge: TokenIssuedBeforeRevocationTimestamp.',
  }
  const state = grants.check(bearer)
  return state === 'valid' ? null : graphError(401, 'InvalidAuthenticationToken', words[state])
}

const showUser = (person: object | undefined, { query }: GraphCall): EmulatorReply =>
  person === undefined ? NOT_FOUND : { json: selected({ ...person }, query.get('$select')) }

function userRoutes(people: MicrosoftPeople): GraphRoute[] {
  const ofUser = { parameters: ['$select', '$expand'], type: 'microsoft.graph.user', properties: USER }
  return [
    {
      ...ofUser,
      scopes: ['User.Read'],
      pattern: /^\/me$/,
      answer: (call) => showUser(people.get(ACCOUNT), call),
    },
    {
      ...ofUser,
      scopes: ['User.ReadBasic.All'],
      pattern: /^\/users\/([^/]+)$/,
      answer: (call) => showUser(people.byId(call.matched[0] ?? ''), call),
    },
    {
      scopes: ['User.Read'],
      pattern: /^\/organization$/,
      parameters: ['$select'],
      type: 'microsoft.graph.organization',
      properties: new Set(['id', 'displayName', 'verifiedDomains']),
      answer: ({ query }) => {
        const verifiedDomains = DOMAINS.map((name) => ({ name, isDefault: name === DOMAINS[0] }))
        return { json: { value: [selected({ id: TENANT, verifiedDomains }, query.get('$select'))] } }
      },
    },
  ]
}
