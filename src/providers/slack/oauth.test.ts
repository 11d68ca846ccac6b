import { afterEach, describe, expect, it } from 'vitest'
import { startSlackEmulator, type SlackEmulator } from '../../../emulators/slack/index.ts'
import { createSlackAdapter } from './adapter.ts'

const open: SlackEmulator[] = []
const redirectUri = 'http://127.0.0.1:8787/v1/oauth/slack/callback'
const signal = new AbortController().signal
const NOW = Date.UTC(2026, 0, 20)

afterEach(async () => {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()))
})

async function start(rotatesTokens: boolean) {
  const slack = await startSlackEmulator({ rotatesTokens, now: () => NOW })
  open.push(slack)
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '' } = slack.env
  const adapter = createSlackAdapter({
    clientId,
    clientSecret,
    apiUrl: slack.env['SLACK_API_URL'] ?? '',
    now: () => new Date(NOW),
  })
  const authorize = async () => {
    const url = adapter.authorizeUrl({ state: 'signed state', redirectUri, codeChallenge: '' })
    const answer = await fetch(url, { redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '')
  }
  return { slack, adapter, authorize }
}

describe('Slack OAuth', () => {
  it('returns a code and the state, and the code buys one bot token of the workspace', async () => {
    const { adapter, authorize } = await start(false)
    const back = await authorize()
    expect(back.searchParams.get('state')).toBe('signed state')
    const exchange = { code: back.searchParams.get('code') ?? '', redirectUri, codeVerifier: '', signal }
    const account = await adapter.exchangeCode(exchange)
    expect(account).toMatchObject({ externalAccountId: 'T0EMULATOR', displayName: 'Acme' })
    expect(account.credentials).toMatchObject({ refreshToken: null, expiresAt: null })
    expect(account.credentials.scopes).toContain('channels:history')
    expect(account.credentials.extra).toEqual({ installedAt: '2026-01-20T00:00:00.000Z' })
    await expect(adapter.exchangeCode(exchange)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_code',
    })
  })

  it('with token rotation has an expiry, and a refresh replaces both tokens of the same install', async () => {
    const { slack, adapter, authorize } = await start(true)
    const code = (await authorize()).searchParams.get('code') ?? ''
    const { credentials } = await adapter.exchangeCode({ code, redirectUri, codeVerifier: '', signal })
    expect(credentials.expiresAt).toEqual(new Date(NOW + 43_200_000))
    const before = { ...credentials, extra: { installedAt: '2026-01-02T03:04:05.000Z' } }
    const renewed = await adapter.refresh(before, signal)
    expect(renewed.extra).toEqual(before.extra)
    expect(renewed.accessToken).not.toBe(credentials.accessToken)
    expect(slack.grants.check(renewed.accessToken)).toBe('valid')
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_refresh_token',
    })
  })

  it('revokes the token at Slack, and a second revocation succeeds', async () => {
    const { slack, adapter, authorize } = await start(false)
    const code = (await authorize()).searchParams.get('code') ?? ''
    const { credentials } = await adapter.exchangeCode({ code, redirectUri, codeVerifier: '', signal })
    await adapter.revoke(credentials, signal)
    expect(slack.grants.check(credentials.accessToken)).toBe('revoked')
    await expect(adapter.revoke(credentials, signal)).resolves.toBeUndefined()
  })

  it('distinguishes an outage from a refused grant', async () => {
    const { slack, adapter, authorize } = await start(true)
    const code = (await authorize()).searchParams.get('code') ?? ''
    const { credentials } = await adapter.exchangeCode({ code, redirectUri, codeVerifier: '', signal })
    slack.faults.add({ path: 'oauth.v2.access', status: 502, times: 1 })
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(adapter.refresh(credentials, signal)).resolves.toMatchObject({ expiresAt: expect.any(Date) })
  })
})
