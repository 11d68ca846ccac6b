import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { closeGoogles, startGoogle } from '../../../../test/support/google.ts'
import type { OAuthAdapter } from '../../adapter.ts'
import { createGmailAdapter, GMAIL_SCOPE } from '../gmail/adapter.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from '../drive/adapter.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

afterEach(closeGoogles)

const { signal } = new AbortController()
const redirectUri = 'http://127.0.0.1:9/v1/oauth/google_drive/callback'
const codeVerifier = 'a-verifier-of-at-least-forty-three-characters-it-is'
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

// The service's clock is a year off from the machine's and Google's.
const now = new Date('2031-05-05T00:00:00Z')

async function start() {
  const { google, settings } = await startGoogle({ mails: 3 })
  const options = { settings, clock: { now: () => now }, extractor: createTextExtractor() }
  return { google, drive: createGoogleDriveAdapter(options), gmail: createGmailAdapter(options) }
}

/** Plays the browser: follows the authorize page to the code. */
async function approve(adapter: OAuthAdapter, change: (url: URL) => void = () => undefined): Promise<string> {
  const url = new URL(adapter.authorizeUrl({ state: 'st', redirectUri, codeChallenge }))
  change(url)
  const answer = await fetch(url, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  expect(back.searchParams.get('state')).toBe('st')
  return back.searchParams.get('code') ?? ''
}

async function connect() {
  const started = await start()
  const code = await approve(started.drive)
  const { credentials } = await started.drive.exchangeCode({ code, redirectUri, codeVerifier, signal })
  return { ...started, credentials }
}

describe('connecting a Google account', () => {
  it('requests offline access with consent, one read-only scope and PKCE', async () => {
    const { drive, google } = await start()
    const url = new URL(drive.authorizeUrl({ state: 'st', redirectUri, codeChallenge }))
    expect(url.origin + url.pathname).toBe(`${google.url}/o/oauth2/v2/auth`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_type: 'offline',
      prompt: 'consent',
      response_type: 'code',
      client_id: google.clientId,
      redirect_uri: redirectUri,
      scope: GOOGLE_DRIVE_SCOPE,
      state: 'st',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    })
  })

  it('without gateway settings uses Google itself', async () => {
    const settings = { clientId: 'c', clientSecret: 's', apiUrl: null, authUrl: null }
    const drive = createGoogleDriveAdapter({
      settings,
      clock: { now: () => now },
      extractor: createTextExtractor(),
    })
    const url = drive.authorizeUrl({ state: 'st', redirectUri, codeChallenge })
    expect(url.startsWith('https://accounts.google.com/o/oauth2/v2/auth?')).toBe(true)
  })

  it("returns account, tokens, scopes and an expiry by the service's clock, for Drive and Gmail", async () => {
    const { drive, gmail, google } = await start()
    for (const [adapter, scope, displayName] of [
      [drive, GOOGLE_DRIVE_SCOPE, `Demo User (${google.account})`],
      [gmail, GMAIL_SCOPE, google.account],
    ] as const) {
      const code = await approve(adapter)
      const connected = await adapter.exchangeCode({ code, redirectUri, codeVerifier, signal })
      expect(connected).toMatchObject({ externalAccountId: google.account, displayName })
      const { accessToken, refreshToken, expiresAt, scopes } = connected.credentials
      expect([accessToken.slice(0, 5), refreshToken?.slice(0, 8)]).toEqual(['ya29.', 'refresh-'])
      expect(scopes).toEqual([scope])
      expect(Math.abs((expiresAt?.getTime() ?? 0) - now.getTime() - 3_600_000)).toBeLessThan(10_000)
    }
  })

  it('refuses a code that is reused, has a wrong verifier or was never issued', async () => {
    const { drive } = await start()
    const code = await approve(drive)
    await drive.exchangeCode({ code, redirectUri, codeVerifier, signal })
    const other = await approve(drive)
    for (const input of [
      { code, codeVerifier },
      { code: other, codeVerifier: 'wrong' },
      { code: 'made up', codeVerifier },
    ]) {
      const attempt = drive.exchangeCode({ ...input, redirectUri, signal })
      await expect(attempt).rejects.toMatchObject({
        kind: 'auth',
        message: 'invalid_grant: Malformed auth code.',
      })
    }
  })

  it('refuses a grant without the required scope, and says what to do', async () => {
    const { drive } = await start()
    const code = await approve(drive, (url) => url.searchParams.set('scope', 'openid'))
    await expect(drive.exchangeCode({ code, redirectUri, codeVerifier, signal })).rejects.toMatchObject({
      kind: 'auth',
      message: `Google did not grant ${GOOGLE_DRIVE_SCOPE}. Connect again and leave its box selected.`,
    })
  })
})

describe("Google's answer to a code", () => {
  const answering = async (tokens: Record<string, unknown>) => {
    const { drive, google } = await start()
    const code = await approve(drive)
    const { accessToken } = google.grants.issue(google.account, GOOGLE_DRIVE_SCOPE)
    const body = { access_token: accessToken, expires_in: 3600, token_type: 'Bearer', ...tokens }
    google.faults.add({ path: '/token', status: 200, body })
    return await drive.exchangeCode({ code, redirectUri, codeVerifier, signal })
  }

  it('without scopes grants the requested one', async () => {
    const { credentials } = await answering({ refresh_token: 'r' })
    expect(credentials.scopes).toEqual([GOOGLE_DRIVE_SCOPE])
  })

  it('without a refresh token is refused at once, and the error says what to do', async () => {
    await expect(answering({ scope: GOOGLE_DRIVE_SCOPE })).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('connect again'),
    })
  })
})

describe('a refused refresh', () => {
  it.each([
    ['invalid_grant', 400, 'auth'],
    ['deleted_client', 401, 'auth'],
    ['disabled_client', 403, 'auth'],
    ['admin_policy_enforced', 400, 'auth'],
    ['org_internal', 403, 'auth'],
    ['internal_failure', 400, 'unavailable'],
    ['temporarily_unavailable', 400, 'unavailable'],
    ['rate_limit_exceeded', 429, 'rate_limited'],
  ])('as %s with %i is %s', async (error, status, kind) => {
    const { drive, google, credentials } = await connect()
    google.faults.add({ path: '/token', status, body: { error } })
    await expect(drive.refresh(credentials, signal)).rejects.toMatchObject({ kind })
  })
})

describe('a connected Google account', () => {
  it('gets a new access token and keeps its refresh token', async () => {
    const { drive, credentials } = await connect()
    const refreshed = await drive.refresh(credentials, signal)
    expect(refreshed.accessToken).not.toBe(credentials.accessToken)
    expect(refreshed.refreshToken).toBe(credentials.refreshToken)
    expect(refreshed.scopes).toEqual(credentials.scopes)
  })

  it('with a revoked grant cannot be refreshed: the error is final and quotes Google', async () => {
    const { drive, google, credentials } = await connect()
    google.grants.revokeAll()
    await expect(drive.refresh(credentials, signal)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_grant: Token has been expired or revoked.',
    })
    await expect(drive.refresh({ ...credentials, refreshToken: null }, signal)).rejects.toMatchObject({
      kind: 'auth',
    })
  })

  it('cannot be refreshed while Google is down: the error allows a retry', async () => {
    const { drive, google, credentials } = await connect()
    google.faults.add({ path: '/token', status: 503 })
    await expect(drive.refresh(credentials, signal)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is revoked at Google, and a second revocation succeeds', async () => {
    const { drive, google, credentials } = await connect()
    await drive.revoke(credentials, signal)
    expect(google.grants.check(credentials.accessToken)).toBe('revoked')
    google.faults.add({ path: '/revoke', status: 400, body: { error: 'invalid_token' } })
    await drive.revoke(credentials, signal)
  })

  it('that Google does not answer for reports the failed revocation without tokens', async () => {
    const { drive, google, credentials } = await connect()
    google.faults.add({ path: '/revoke', drop: true })
    const error: unknown = await drive.revoke(credentials, signal).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('Google did not answer'),
    })
    expect(inspect(error, { depth: 10 })).not.toContain(credentials.refreshToken)
  })

  it('stops waiting when the run must stop', async () => {
    const { drive, google, credentials } = await connect()
    google.faults.add({ path: '/token', delayMs: 5_000 })
    const controller = new AbortController()
    const refreshing = drive.refresh(credentials, controller.signal)
    setTimeout(() => controller.abort(new Error('drain')), 50)
    await expect(refreshing).rejects.toThrow('drain')
  })
})
