import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { textField } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { appTokenFault } from './app-token.ts'
import { NOT_FOUND, paged, PAGING, parameterFault, refusal, type RouteContext } from './reply.ts'
import { createRouter, type View } from './router.ts'
import { type GitHubRepository, nameOf } from './state.ts'

export const LOGIN = 'ada'
export const LOGIN_ID = 583_231
const APP_ID = 7_001
const NAME = 'memory'
const HOUR_SECONDS = 3_600
const RIGHTS = ['metadata', 'issues', 'pull_requests', 'contents', 'discussions', 'members']
const FORBIDDEN = refusal(403, 'Resource not accessible by integration')

/** Created once, because that takes long. */
let key: KeyObject | undefined
const keyOf = (): KeyObject => (key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

type Route = (request: EmulatorRequest) => EmulatorReply

export interface Installation {
  id: number
  account: { id: number; login: string; type: 'User' | 'Organization' }
  /** Ids of the selected repositories; null: all of the account's. */
  repositories: Set<number> | null
  isSuspended: boolean
  rights: Set<string>
}

/** The signed-in person's role in an account. */
export type Standing = 'owner' | 'member' | 'invited owner' | 'collaborator'

export interface GitHubApp {
  readonly clientId: string
  readonly clientSecret: string
  /** In PEM form. */
  privateKey(): string
  readonly installations: Map<number, Installation>
  /** By the login of an organization. */
  readonly standings: Map<string, Standing>
  /** The tokens of users and of installations. */
  readonly users: Grants
  readonly tokens: Grants
  install(login: string, type?: 'User' | 'Organization'): Installation
  uninstall(installation: Installation): void
  /** GitHub's pages for users; null: another path. */
  login(request: EmulatorRequest): EmulatorReply | null
  /** The routes of a token; null: unknown token. */
  routeOf(bearer: string | null): Route | null
  readonly controls: Readonly<Record<string, (body: Record<string, unknown>) => unknown>>
}

type Uncontrolled = Omit<GitHubApp, 'controls'>

const CLIENT = { clientId: 'Iv23liEmulated', clientSecret: 'github-app-secret' }

function createTokens(now: () => number): Pick<GitHubApp, 'users' | 'tokens'> {
  const shared = { ...CLIENT, rotatesRefreshTokens: true, now }
  return {
    users: createGrants({ ...shared, tokenPrefix: 'ghu_', accessTokenSeconds: 8 * HOUR_SECONDS }),
    tokens: createGrants({ ...shared, tokenPrefix: 'ghs_', accessTokenSeconds: HOUR_SECONDS }),
  }
}

/** A GitHub App, its installations and its tokens. Ada is signed in, and approves at once. */
export function createGitHubApp(context: RouteContext, now: () => number): GitHubApp {
  const { users, tokens } = createTokens(now)
  const installations = new Map<number, Installation>()
  const standings = new Map<string, Standing>()
  const routes = new Map<number, Route>()
  let lastId = 90_000

  const app: Uncontrolled = {
    ...CLIENT,
    privateKey: () => keyOf().export({ type: 'pkcs1', format: 'pem' }).toString(),
    installations,
    standings,
    users,
    tokens,
    install(login, type = 'Organization') {
      lastId += 1
      const id = login === LOGIN ? LOGIN_ID : idOf(login)
      const installation: Installation = {
        id: lastId,
        account: { id, login, type },
        repositories: null,
        isSuspended: false,
        rights: new Set(RIGHTS),
      }
      installations.set(lastId, installation)
      routes.set(lastId, createRouter(context, viewOf(context, installation, tokens)))
      return installation
    },
    uninstall: ({ id }) => void installations.delete(id),
    login: (request) => loginPages(request, users),
    routeOf(bearer) {
      if (bearer?.split('.').length === 3)
        return (request) =>
          appTokenFault(bearer, {
            issuers: [CLIENT.clientId, APP_ID, String(APP_ID)],
            privateKey: keyOf(),
            now: now(),
          }) ?? ofApp(request, app)
      if (users.check(bearer) === 'valid') return (request) => ofUser(request, app, context.url())
      const id = Number(tokens.grantOf(bearer ?? '')?.account)
      if (tokens.check(bearer) !== 'valid' || !installations.has(id)) return null
      if (installations.get(id)?.isSuspended === true)
        return () => refusal(403, 'This installation has been suspended')
      return routes.get(id) ?? null
    },
  }
  return { ...app, controls: controlsOf(app) }
}

/** The app's control routes. */
function controlsOf({ installations, standings, install }: Uncontrolled): GitHubApp['controls'] {
  return {
    install(body) {
      const login = textField(body, 'account')
      standings.set(login, 'owner')
      return install(login).id
    },
    uninstall: (body) => installations.delete(Number(body['installation'])),
    suspend(body) {
      const found = installations.get(Number(body['installation']))
      if (found === undefined) throw new Error('there is no such installation')
      found.isSuspended = body['suspended'] !== false
    },
  }
}

/** The same id for a name, so that a new installation belongs to the same account. */
const idOf = (login: string): number =>
  [...login].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7)

/** The repositories that an installation's tokens can read. */
function viewOf({ state, json, url }: RouteContext, installation: Installation, tokens: Grants): View {
  const sees = ({ id, owner }: GitHubRepository): boolean =>
    owner === installation.account.login && (installation.repositories?.has(id) ?? true)
  return {
    token: 'integration',
    mayRead: (right) => installation.rights.has(right),
    sees,
    own(request) {
      const { method, path, bearer, query } = request
      if (path === '/installation/token' && method === 'DELETE') {
        tokens.revoke(bearer ?? '')
        return { status: 204 }
      }
      if (path.startsWith('/user')) return FORBIDDEN
      if (path !== '/installation/repositories' || method !== 'GET') return null
      const seen = [...state.repositories.values()]
        .filter(sees)
        .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      return (
        parameterFault(query, PAGING) ?? listed(request, url(), 'repositories', seen.map(json.repository))
      )
    },
  }
}

/** A page of a list in a field of the response. */
function listed(
  request: EmulatorRequest,
  url: string,
  field: string,
  all: readonly unknown[],
): EmulatorReply {
  const page = paged(request, url, all)
  return { ...page, json: { total_count: all.length, [field]: page.json } }
}

/** Requests with the app's own token. */
function ofApp({ method, path }: EmulatorRequest, { installations, tokens }: Uncontrolled): EmulatorReply {
  if (path === '/app' && method === 'GET')
    return { json: { id: APP_ID, slug: NAME, name: NAME, html_url: `https://github.example/apps/${NAME}` } }
  const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? []
  const installation = installations.get(Number(id))
  if (installation === undefined || method !== 'POST') return NOT_FOUND
  if (installation.isSuspended) return refusal(403, 'This installation has been suspended')
  const { accessToken, expiresAt } = tokens.issue(String(installation.id), '')
  return {
    status: 201,
    json: {
      token: accessToken,
      expires_at: new Date(expiresAt ?? 0).toISOString(),
      repository_selection: installation.repositories === null ? 'all' : 'selected',
    },
  }
}

/** Requests with a user's token. */
function ofUser(
  request: EmulatorRequest,
  { installations, standings, clientId }: Uncontrolled,
  url: string,
): EmulatorReply {
  const { path, method, query } = request
  if (method !== 'GET') return NOT_FOUND
  if (path === '/user') return { json: { login: LOGIN, id: LOGIN_ID, type: 'User' } }
  if (path === '/user/installations') {
    const all = [...installations.values()].filter(
      ({ account: { login } }) =>
        login === LOGIN || (standings.get(login) ?? 'invited owner') !== 'invited owner',
    )
    const shown = all.map(({ id, account, isSuspended }) => ({
      id,
      account,
      client_id: clientId,
      app_id: APP_ID,
      app_slug: NAME,
      target_type: account.type,
      suspended_at: isSuspended ? '2026-01-01T00:00:00Z' : null,
    }))
    return parameterFault(query, PAGING) ?? listed(request, url, 'installations', shown)
  }
  const [, organization = ''] = /^\/user\/memberships\/orgs\/([\w-]+)$/.exec(path) ?? []
  const installation = [...installations.values()].find(({ account }) => account.login === organization)
  if (installation === undefined) return NOT_FOUND
  return membershipOf(installation, standings.get(organization))
}

function membershipOf({ account, rights }: Installation, standing: Standing | undefined): EmulatorReply {
  if (!rights.has('members')) return FORBIDDEN
  if (standing === undefined || standing === 'collaborator') return NOT_FOUND
  return {
    json: {
      role: standing === 'member' ? 'member' : 'admin',
      state: standing === 'invited owner' ? 'pending' : 'active',
      organization: { id: account.id, login: account.login },
    },
  }
}

/**
 * The web application flow
 * (docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app).
 */
function loginPages(
  { path, method, query, body, headers }: EmulatorRequest,
  users: Grants,
): EmulatorReply | null {
  if (path === '/login/oauth/authorize' && method === 'GET') {
    const redirectUri = query.get('redirect_uri') ?? ''
    if (!users.isClient(query.get('client_id') ?? undefined, CLIENT.clientSecret) || redirectUri === '')
      return { status: 404, text: 'Not Found' }
    const location = users.approve({
      account: LOGIN,
      scope: '',
      redirectUri,
      state: query.get('state') ?? '',
      codeChallenge: query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null,
    })
    return { status: 302, headers: { location } }
  }
  if (path !== '/login/oauth/access_token' || method !== 'POST') return null
  if (headers['accept'] !== 'application/json')
    return { status: 406, text: 'the emulator answers as application/json only' }
  const form = new URLSearchParams(body)
  if (!users.isClient(form.get('client_id') ?? undefined, form.get('client_secret') ?? undefined))
    return codeFault(
      'incorrect_client_credentials',
      'The client_id and/or client_secret passed are incorrect.',
    )
  const grant = users.exchange({
    code: form.get('code') ?? '',
    redirectUri: form.get('redirect_uri') ?? '',
    codeVerifier: form.get('code_verifier'),
  })
  if (grant === null) return codeFault('bad_verification_code', 'The code passed is incorrect or expired.')
  const { accessToken, refreshToken } = grant
  return {
    json: {
      access_token: accessToken,
      expires_in: 8 * HOUR_SECONDS,
      refresh_token: refreshToken,
      scope: '',
      token_type: 'bearer',
    },
  }
}

/** GitHub refuses a code with the status 200. */
const codeFault = (error: string, words: string): EmulatorReply => ({
  json: { error, error_description: words },
})
