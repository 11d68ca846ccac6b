import { textField } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import { createRateLimit } from '../kit/rate-limit.ts'
import {
  startEmulatorServer,
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
} from '../kit/server.ts'
import { answerDrive } from './drive-routes.ts'
import type { Permission } from './drive-seed.ts'
import { createDriveStore, type DriveState } from './drive-state.ts'
import { googleError } from './google-reply.ts'
import { answerMail } from './mail-routes.ts'
import { createMailStore, type MailState } from './mail-state.ts'

export interface GoogleEmulatorOptions {
  port?: number
  /** The same seed yields the same files and mails. */
  seed?: string
  files?: number
  folders?: number
  sharedDrives?: number
  mails?: number
  clientId?: string
  clientSecret?: string
  accessTokenSeconds?: number
  /** Requests per minute and token before Google refuses; unlimited when absent. */
  requestsPerMinute?: number | null
  /** Epoch milliseconds. */
  now?: () => number
}

export interface GoogleEmulator extends EmulatorServer {
  readonly account: string
  readonly clientId: string
  readonly clientSecret: string
  readonly drive: DriveState
  readonly mail: MailState
  readonly grants: Grants
}

const ACCOUNT = 'demo.user@acme.example'
const DOMAIN = 'acme.example'

/**
 * The parts of Google that the Drive and Gmail connectors use: OAuth at `/o/oauth2/v2/auth`, `/token`, `/revoke`,
 * Drive under `/drive/v3`, Gmail under `/gmail/v1`. It has one account, and one URL for GOOGLE_API_URL and
 * GOOGLE_AUTH_URL.
 */
export async function startGoogleEmulator(options: GoogleEmulatorOptions = {}): Promise<GoogleEmulator> {
  const now = options.now ?? Date.now
  const seed = { seed: options.seed ?? 'google', account: ACCOUNT, domain: DOMAIN }
  const driveSeed = {
    ...seed,
    files: options.files ?? 60,
    folders: options.folders ?? 9,
    sharedDrives: options.sharedDrives ?? 1,
  }
  const mailSeed = { ...seed, mails: options.mails ?? 90 }
  const drive = createDriveStore(driveSeed, now)
  const mail = createMailStore(mailSeed, now)
  const clientId = options.clientId ?? 'google-client'
  const clientSecret = options.clientSecret ?? 'google-secret'
  const grants = createGrants({
    clientId,
    clientSecret,
    tokenPrefix: 'ya29.',
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
    rotatesRefreshTokens: false,
    now,
  })
  const limit = createRateLimit(options.requestsPerMinute ?? null, now)

  function handle(request: EmulatorRequest): EmulatorReply {
    if (request.path === '/o/oauth2/v2/auth') return authorize(grants, clientId, request)
    if (request.path === '/token' && request.method === 'POST') return giveToken(grants, request, now)
    if (request.path === '/revoke' && request.method === 'POST') return revoke(grants, request)
    const service = /^\/(drive\/v3|gmail\/v1)\//.exec(request.path)?.[1]
    if (!service) return googleError(404, 'notFound', 'Not Found')
    const refusal = refuse(grants, request, service === 'drive/v3' ? 'drive.readonly' : 'gmail.readonly')
    if (refusal) return refusal
    if (limit.take(`${service} ${request.bearer}`) !== null) return tooMany(service)
    return service === 'drive/v3'
      ? answerDrive(drive, driveSeed, request)
      : answerMail(mail, mailSeed, request)
  }

  const server = await startEmulatorServer({
    ...(options.port === undefined ? {} : { port: options.port }),
    handle,
    control: controlOf(drive, mail, grants),
  })
  return Object.assign(server, { account: ACCOUNT, clientId, clientSecret, drive, mail, grants })
}

/** Approves at once: the browser is redirected straight back. */
function authorize(grants: Grants, clientId: string, { query }: EmulatorRequest): EmulatorReply {
  const redirectUri = query.get('redirect_uri')
  if (query.get('client_id') !== clientId || redirectUri === null || query.get('response_type') !== 'code') {
    return { status: 400, text: 'Error 400: invalid_request' }
  }
  const approved = {
    account: ACCOUNT,
    scope: query.get('scope') ?? '',
    redirectUri,
    state: query.get('state') ?? '',
    codeChallenge: query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null,
  }
  return { status: 302, headers: { location: grants.approve(approved) }, text: '' }
}

function giveToken(grants: Grants, request: EmulatorRequest, now: () => number): EmulatorReply {
  const form = new URLSearchParams(request.body)
  if (!grants.isClient(form.get('client_id') ?? undefined, form.get('client_secret') ?? undefined)) {
    return {
      status: 401,
      json: { error: 'invalid_client', error_description: 'The OAuth client was not found.' },
    }
  }
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const grant = isRefresh
    ? grants.refresh(form.get('refresh_token') ?? '')
    : grants.exchange({
        code: form.get('code') ?? '',
        redirectUri: form.get('redirect_uri') ?? '',
        codeVerifier: form.get('code_verifier'),
      })
  if (!grant) {
    const description = isRefresh ? 'Token has been expired or revoked.' : 'Malformed auth code.'
    return { status: 400, json: { error: 'invalid_grant', error_description: description } }
  }
  const seconds = grant.expiresAt === null ? 3600 : Math.round((grant.expiresAt - now()) / 1000)
  const token = {
    access_token: grant.accessToken,
    expires_in: seconds,
    scope: grant.scope,
    token_type: 'Bearer',
  }
  return { json: isRefresh ? token : { ...token, refresh_token: grant.refreshToken } }
}

function revoke(grants: Grants, request: EmulatorRequest): EmulatorReply {
  const token = request.query.get('token') ?? ''
  if (grants.revoke(token)) return { json: {} }
  return { status: 400, json: { error: 'invalid_token', error_description: 'Token expired or revoked' } }
}

function refuse(grants: Grants, request: EmulatorRequest, scope: string): EmulatorReply | null {
  if (grants.check(request.bearer) !== 'valid') {
    const location = { location: 'Authorization', locationType: 'header' } as const
    return googleError(401, 'authError', 'Invalid Credentials', location)
  }
  const granted = grants.grantOf(request.bearer ?? '')?.scope ?? ''
  if (granted.includes(scope)) return null
  return googleError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
}

// Neither API names a time to retry: quotas count by the minute.
function tooMany(service: string): EmulatorReply {
  if (service === 'drive/v3') return googleError(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded')
  const message = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'"
  return googleError(403, 'rateLimitExceeded', message)
}

/** `users` of a control request, as permissions. */
function peopleIn(body: Record<string, unknown>): Permission[] {
  const users = Array.isArray(body['users']) ? body['users'] : []
  return users.map((email) => ({ id: `p-${String(email)}`, type: 'user', emailAddress: String(email) }))
}

/** The control routes for use with curl; each accepts JSON. */
function controlOf(drive: DriveState, mail: MailState, grants: Grants) {
  type Body = Record<string, unknown>
  return {
    'drive-create': (body: Body) => {
      const mimeType = body['mimeType'] === undefined ? {} : { mimeType: textField(body, 'mimeType') }
      return drive.create({ name: textField(body, 'name'), content: textField(body, 'content'), ...mimeType })
    },
    'drive-edit': (body: Body) =>
      drive.update(textField(body, 'id'), { content: textField(body, 'content') }),
    'drive-rename': (body: Body) => drive.update(textField(body, 'id'), { name: textField(body, 'name') }),
    'drive-trash': (body: Body) => drive.trash(textField(body, 'id')),
    'drive-untrash': (body: Body) => drive.untrash(textField(body, 'id')),
    'drive-delete': (body: Body) => drive.remove(textField(body, 'id')),
    // Its new readers, by address.
    'drive-share': (body: Body) => drive.update(textField(body, 'id'), { permissions: peopleIn(body) }),
    'drive-members': (body: Body) => drive.setMembers(textField(body, 'id'), peopleIn(body)),
    'drive-unshare': (body: Body) => drive.unshare(textField(body, 'id')),
    'mail-deliver': (body: Body) =>
      mail.deliver({ subject: textField(body, 'subject'), text: textField(body, 'text') }),
    'mail-trash': (body: Body) => mail.trash(textField(body, 'id')),
    'mail-untrash': (body: Body) => mail.untrash(textField(body, 'id')),
    'mail-delete': (body: Body) => mail.remove(textField(body, 'id')),
    'expire-cursors': () => {
      drive.expireChangeTokens()
      mail.expireHistory()
    },
    'expire-tokens': () => grants.expireAccessTokens(),
    'revoke-grants': () => grants.revokeAll(),
  }
}
