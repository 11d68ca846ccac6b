import { afterEach, describe, expect, it } from 'vitest'
import { startNotionEmulator, type NotionEmulator } from '../../../emulators/notion/index.ts'
import { createNotionAdapter } from './adapter.ts'

const open: NotionEmulator[] = []
const redirectUri = 'http://127.0.0.1:8787/v1/oauth/notion/callback'
const signal = new AbortController().signal

afterEach(async () => {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()))
})

async function start() {
  const notion = await startNotionEmulator()
  open.push(notion)
  const { NOTION_CLIENT_ID: clientId = '', NOTION_CLIENT_SECRET: clientSecret = '' } = notion.env
  const adapter = createNotionAdapter({ clientId, clientSecret, apiUrl: notion.url })
  const url = adapter.authorizeUrl({ state: 'signed state', redirectUri, codeChallenge: '' })
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
  const exchange = { code: back.searchParams.get('code') ?? '', redirectUri, codeVerifier: '', signal }
  return { notion, adapter, back, exchange }
}

describe('Notion OAuth', () => {
  it('returns a code and the state, and the code buys one token of the workspace', async () => {
    const { notion, adapter, back, exchange } = await start()
    expect(back.searchParams.get('state')).toBe('signed state')
    const account = await adapter.exchangeCode(exchange)
    expect(account).toMatchObject({ externalAccountId: notion.workspace.id, displayName: 'Acme' })
    expect(notion.grants.check(account.credentials.accessToken)).toBe('valid')
    await expect(adapter.exchangeCode(exchange)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_grant',
    })
  })

  it('replaces both tokens on a refresh, and refuses a used refresh token for good', async () => {
    const { notion, adapter, exchange } = await start()
    const { credentials } = await adapter.exchangeCode(exchange)
    const renewed = await adapter.refresh(credentials, signal)
    expect(notion.grants.check(renewed.accessToken)).toBe('valid')
    expect(renewed.refreshToken).not.toBe(credentials.refreshToken)
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_grant',
    })
  })

  it('revokes the token at Notion, and succeeds when it is already revoked', async () => {
    const { notion, adapter, exchange } = await start()
    const { credentials } = await adapter.exchangeCode(exchange)
    await adapter.revoke(credentials, signal)
    expect(notion.grants.check(credentials.accessToken)).toBe('revoked')
    await expect(adapter.revoke({ ...credentials, accessToken: 'gone' }, signal)).resolves.toBeUndefined()
  })

  it('does not mistake a refusal of our own credentials for a revoked token', async () => {
    const { notion, adapter, exchange } = await start()
    const { credentials } = await adapter.exchangeCode(exchange)
    const stranger = createNotionAdapter({ clientId: 'other', clientSecret: 'other', apiUrl: notion.url })
    await expect(stranger.revoke(credentials, signal)).rejects.toMatchObject({ message: 'invalid_client' })
  })

  it.each([{}, { access_token: null }])('takes %j for an outage, not for new tokens', async (body) => {
    const { notion, adapter, exchange } = await start()
    const { credentials } = await adapter.exchangeCode(exchange)
    notion.faults.add({ path: '/v1/oauth/token', status: 200, body })
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('distinguishes an outage from a refused grant', async () => {
    const { notion, adapter, exchange } = await start()
    const { credentials } = await adapter.exchangeCode(exchange)
    notion.faults.add({ path: '/v1/oauth/token', status: 503 })
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({ kind: 'unavailable' })
    notion.faults.clear()
    for (const path of ['/v1/oauth/token', '/v1/oauth/revoke'])
      notion.faults.add({ path, status: 403, body: '<html>blocked by a gateway</html>' })
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({ kind: 'rejected' })
    await expect(adapter.revoke(credentials, signal)).rejects.toMatchObject({ kind: 'rejected' })
  })
})
