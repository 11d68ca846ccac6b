import { createHash } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { startMicrosoftEmulator } from '../../../../emulators/microsoft/index.ts'
import { settingsOf } from '../../../../test/support/microsoft.ts'
import { createMicrosoftOAuth } from './oauth.ts'
import { readMicrosoftSettings } from './settings.ts'

const { signal } = new AbortController()
const redirectUri = 'http://127.0.0.1:9/v1/oauth/onedrive/callback'
const codeVerifier = 'a-verifier-of-at-least-forty-three-characters-it-is'
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
const now = new Date('2026-05-05T00:00:00Z')

async function start() {
  const microsoft = await startMicrosoftEmulator({ now: () => now.getTime() })
  onTestFinished(() => microsoft.close())
  const options = { scopes: ['Files.Read.All'], clock: { now: () => now } }
  return { microsoft, oauth: createMicrosoftOAuth(settingsOf(microsoft), options) }
}

async function connect() {
  const { microsoft, oauth } = await start()
  const url = oauth.authorizeUrl({ state: 'st', redirectUri, codeChallenge })
  const answer = await fetch(url, { redirect: 'manual' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  return { microsoft, oauth, code, url: new URL(url) }
}

it('asks for the account, the scopes with a refresh token, and PKCE', async () => {
  const { microsoft, url } = await connect()
  expect(url.origin + url.pathname).toBe(`${microsoft.url}/common/oauth2/v2.0/authorize`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    response_mode: 'query',
    prompt: 'select_account',
    client_id: microsoft.clientId,
    redirect_uri: redirectUri,
    scope: 'offline_access User.Read Files.Read.All',
    state: 'st',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
})

it('connects the account of the code, and replaces the refresh token with each use', async () => {
  const { microsoft, oauth, code } = await connect()
  const { credentials, ...account } = await oauth.exchangeCode({ code, redirectUri, codeVerifier, signal })
  expect(account).toEqual({
    externalAccountId: microsoft.people.get('ada').id,
    displayName: 'ada@acme.example',
  })
  expect(credentials).toMatchObject({
    expiresAt: new Date(now.getTime() + 3_600_000),
    scopes: ['User.Read', 'Files.Read.All'],
  })
  const renewed = await oauth.refresh(credentials, signal)
  expect(renewed.refreshToken).not.toBe(credentials.refreshToken)
  await expect(oauth.refresh(credentials, signal)).rejects.toMatchObject({
    kind: 'auth',
    message: expect.stringContaining('AADSTS70000'),
  })
  expect((await oauth.refresh(renewed, signal)).accessToken).not.toBe(renewed.accessToken)
})

it('refuses a code without its verifier, and treats a busy server as an outage', async () => {
  const { microsoft, oauth, code } = await connect()
  const input = { code, redirectUri, codeVerifier: 'another', signal }
  await expect(oauth.exchangeCode(input)).rejects.toMatchObject({ kind: 'auth' })
  microsoft.faults.add({ path: '/token', status: 400, body: { error: 'temporarily_unavailable' } })
  await expect(oauth.exchangeCode(input)).rejects.toMatchObject({ kind: 'unavailable' })
})

it('uses the tenant that the settings name', () => {
  const client = { MICROSOFT_CLIENT_ID: 'c', MICROSOFT_CLIENT_SECRET: 's' }
  const options = { scopes: [], clock: { now: () => now } }
  const urlFor = (settings: Record<string, string>) =>
    createMicrosoftOAuth(readMicrosoftSettings(settings), options).authorizeUrl({
      state: 'st',
      redirectUri,
      codeChallenge,
    })
  expect(urlFor(client)).toMatch(/^https:\/\/login\.microsoftonline\.com\/common\/oauth2\/v2\.0\/authorize\?/)
  expect(urlFor({ ...client, MICROSOFT_TENANT: 'acme.example' })).toContain('.com/acme.example/oauth2/')
})
