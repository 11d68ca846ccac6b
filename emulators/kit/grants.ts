import { createHash, randomBytes } from 'node:crypto'

export interface Grant {
  account: string
  scope: string
  accessToken: string
  refreshToken: string | null
  /** Epoch milliseconds; null: does not expire. */
  expiresAt: number | null
}

export type TokenState = 'valid' | 'expired' | 'revoked' | 'unknown'

export interface GrantsOptions {
  clientId: string
  clientSecret: string
  /** Prefix of tokens, such as `xoxb-`. */
  tokenPrefix: string
  /** Lifetime of an access token in seconds; null: unlimited, and without a refresh token. */
  accessTokenSeconds: number | null
  /** Whether using a refresh token replaces it and invalidates the old one. */
  rotatesRefreshTokens: boolean
  /** Current time in epoch milliseconds. */
  now: () => number
}

export interface Grants {
  /** Approves at once; returns the redirect URL with `code` and `state`. */
  approve(input: {
    account: string
    scope: string
    redirectUri: string
    state: string
    codeChallenge: string | null
  }): string
  /** Codes are single-use for ten minutes, bound to redirect URI and PKCE challenge (RFC 7636 S256). */
  exchange(input: { code: string; redirectUri: string; codeVerifier: string | null }): Grant | null
  refresh(refreshToken: string): Grant | null
  check(accessToken: string | null): TokenState
  grantOf(accessToken: string): Grant | null
  revoke(token: string): boolean
  /** Issues a grant without the browser, for tests. */
  issue(account: string, scope: string): Grant
  /** Expires every access token issued so far; refresh tokens stay valid. */
  expireAccessTokens(): void
  /** Simulates that the account's owner revokes the grant: all tokens become invalid. */
  revokeAll(): void
  isClient(clientId: string | undefined, clientSecret: string | undefined): boolean
}

interface PendingCode {
  account: string
  scope: string
  redirectUri: string
  codeChallenge: string | null
  expiresAt: number
}

/** In-memory OAuth 2.0 codes and tokens (RFC 6749) for an emulator's token endpoints. */
export function createGrants(options: GrantsOptions): Grants {
  const codes = new Map<string, PendingCode>()
  const byAccess = new Map<string, Grant>()
  const byRefresh = new Map<string, Grant>()
  const revoked = new Set<string>()

  function issue(account: string, scope: string, keptRefreshToken?: string): Grant {
    const lifetime = options.accessTokenSeconds
    const refreshToken = lifetime === null ? null : (keptRefreshToken ?? `refresh-${token()}`)
    const accessToken = `${options.tokenPrefix}${token()}`
    const expiresAt = lifetime === null ? null : options.now() + lifetime * 1000
    const grant: Grant = { account, scope, accessToken, refreshToken, expiresAt }
    byAccess.set(accessToken, grant)
    if (refreshToken !== null) byRefresh.set(refreshToken, grant)
    return grant
  }

  function exchange(input: { code: string; redirectUri: string; codeVerifier: string | null }): Grant | null {
    const pending = codes.get(input.code)
    codes.delete(input.code)
    if (!pending || pending.expiresAt < options.now() || pending.redirectUri !== input.redirectUri)
      return null
    if (pending.codeChallenge !== null && challengeOf(input.codeVerifier) !== pending.codeChallenge)
      return null
    return issue(pending.account, pending.scope)
  }

  function refresh(refreshToken: string): Grant | null {
    const grant = byRefresh.get(refreshToken)
    if (!grant || revoked.has(refreshToken)) return null
    if (options.rotatesRefreshTokens) byRefresh.delete(refreshToken)
    return issue(grant.account, grant.scope, options.rotatesRefreshTokens ? undefined : refreshToken)
  }

  function revoke(value: string): boolean {
    const grant = byAccess.get(value) ?? byRefresh.get(value)
    if (!grant) return false
    revoked.add(grant.accessToken)
    if (grant.refreshToken !== null) revoked.add(grant.refreshToken)
    return true
  }

  return {
    approve: ({ redirectUri, state, ...pending }) => {
      const code = `code-${token()}`
      codes.set(code, { ...pending, redirectUri, expiresAt: options.now() + 600_000 })
      const target = new URL(redirectUri)
      target.searchParams.set('code', code)
      target.searchParams.set('state', state)
      return target.href
    },
    exchange,
    refresh,
    check: (accessToken) => {
      const grant = accessToken === null ? undefined : byAccess.get(accessToken)
      if (!grant) return 'unknown'
      if (revoked.has(grant.accessToken)) return 'revoked'
      return grant.expiresAt !== null && grant.expiresAt <= options.now() ? 'expired' : 'valid'
    },
    grantOf: (accessToken) => byAccess.get(accessToken) ?? null,
    revoke,
    issue: (account, scope) => issue(account, scope),
    expireAccessTokens: () => {
      for (const grant of byAccess.values()) grant.expiresAt = 0
    },
    revokeAll: () => {
      for (const accessToken of byAccess.keys()) revoke(accessToken)
    },
    isClient: (clientId, clientSecret) =>
      clientId === options.clientId && clientSecret === options.clientSecret,
  }
}

const token = () => randomBytes(18).toString('base64url')

const challengeOf = (verifier: string | null) =>
  verifier === null ? null : createHash('sha256').update(verifier).digest('base64url')
