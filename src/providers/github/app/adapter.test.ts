import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { Standing } from '../../../../emulators/github/app.ts'
import { connectInstallation, githubAppForTest, REDIRECT_URI } from '../../../../test/support/github-app.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createGitHubAppAdapter } from './adapter.ts'
import { githubAppSettings } from './settings.ts'

const HOUR = 3_600_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())
const { signal } = new AbortController()

const start = () => githubAppForTest(extractor)

describe('connecting', () => {
  it('asks GitHub who the person is, with PKCE and a choice of the account', async () => {
    const { hub, adapter } = await start()
    const url = new URL(adapter.authorizeUrl({ state: 'st', redirectUri: REDIRECT_URI, codeChallenge: 'ch' }))
    expect(url.origin + url.pathname).toBe(`${hub.url}/login/oauth/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: hub.app.clientId,
      redirect_uri: REDIRECT_URI,
      state: 'st',
      code_challenge: 'ch',
      code_challenge_method: 'S256',
      prompt: 'select_account',
    })
  })

  it('sends people of github.com to its pages', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const urlAt = (apiUrl: string) =>
      createGitHubAppAdapter({
        app: { clientId: 'c', clientSecret: 's', privateKey },
        apiUrl,
        clock: { now: () => new Date(0) },
        extractor,
      }).authorizeUrl({ state: '', redirectUri: REDIRECT_URI, codeChallenge: '' })
    expect(urlAt('https://api.github.com')).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/)
    expect(urlAt('https://git.acme.example/api/v3')).toMatch(/^https:\/\/git\.acme\.example\/login\/oauth\//)
  })

  it("stores a token of the installation for an hour, and not the person's", async () => {
    const { hub, connect, clock } = await start()
    hub.app.standings.set('acme', 'owner')
    const { id, account } = hub.app.install('acme')
    expect(await connect()).toEqual({
      externalAccountId: `${new URL(hub.url).host}/${account.id}`,
      displayName: 'acme',
      credentials: {
        accessToken: expect.stringMatching(/^ghs_/),
        refreshToken: String(id),
        expiresAt: new Date(clock.now() + HOUR),
        scopes: [],
      },
    })
  })

  it('accepts an account of the person, and gives it the same id when the app is installed again', async () => {
    const { hub, connect } = await start()
    const first = hub.app.install('ada', 'User')
    const { externalAccountId } = await connect()
    hub.app.uninstall(first)
    hub.app.install('ada', 'User')
    expect((await connect()).externalAccountId).toBe(externalAccountId)
  })

  it.each<[Standing | undefined, string]>([
    ['member', 'installed on acme, but you are not an owner'],
    ['collaborator', 'installed on acme, but you are not an owner'],
    [
      'invited owner',
      'not installed on an account of yours; install it at https://github.example/apps/memory/',
    ],
    [undefined, 'not installed on an account of yours'],
  ])('refuses the installation of an organization to a person who is %s of it', async (standing, words) => {
    const { hub, connect } = await start()
    hub.app.install('acme')
    if (standing !== undefined) hub.app.standings.set('acme', standing)
    await expect(connect()).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining(words),
    })
    expect(hub.requests.byPath()).not.toHaveProperty([expect.stringContaining('access_tokens')])
  })

  it('connects the one account that the person owns among others', async () => {
    const { hub, connect } = await start()
    hub.app.install('other')
    hub.app.standings.set('other', 'member')
    hub.app.install('acme')
    hub.app.standings.set('acme', 'owner')
    expect(await connect()).toMatchObject({ displayName: 'acme' })
    hub.app.install('ada', 'User')
    await expect(connect()).rejects.toThrow('you own several accounts with the app (acme, ada)')
  })

  it('names the permission that the app needs to see the owners', async () => {
    const { hub, connect } = await start()
    hub.app.standings.set('acme', 'owner')
    hub.app.install('acme').rights.delete('members')
    await expect(connect()).rejects.toThrow('needs the organization permission Members (read)')
  })

  it('refuses a code that was used, or that is of another verifier', async () => {
    const { adapter, hub } = await start()
    const codeVerifier = 'another-verifier-of-at-least-forty-three-characters'
    const codeChallenge = createHash('sha256').update('not that').digest('base64url')
    const { headers } = await fetch(
      adapter.authorizeUrl({ state: 'st', redirectUri: REDIRECT_URI, codeChallenge }),
      { redirect: 'manual' },
    )
    const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
    const input = { code, redirectUri: REDIRECT_URI, codeVerifier, signal }
    await expect(adapter.exchangeCode(input)).rejects.toMatchObject({
      kind: 'auth',
      message: 'The code passed is incorrect or expired.',
    })
    hub.faults.add({ path: '/login/oauth/access_token', status: 502 })
    await expect(adapter.exchangeCode(input)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('a run', () => {
  it('reads only the repositories of the installation, and removes one that leaves it', async () => {
    const account = await start()
    const { hub } = account
    const { installation, web, sync } = await connectInstallation(account)
    const wiki = hub.state.create('acme/wiki')
    for (const repository of [web, wiki, hub.state.create('other/notes')])
      hub.state.open(repository, { title: `Of ${repository.name}` })
    const titles = () => [...sync.items.values()].map(({ title }) => title).toSorted()
    await sync.run()
    expect(titles()).toEqual(['Of web', 'Of wiki'])
    installation.repositories = new Set([web.id])
    await sync.run()
    expect(titles()).toEqual(['Of web'])
  })

  it('continues with a new token after an hour', async () => {
    const account = await start()
    const { web, sync } = await connectInstallation(account)
    await sync.run()
    sync.now += HOUR
    account.hub.state.open(web, { title: 'Later' })
    await sync.run()
    expect([...sync.items.values()].map(({ title }) => title)).toEqual(['Later'])
  })

  it('of a suspended installation ends, and nothing is removed', async () => {
    const account = await start()
    const { installation, web, sync } = await connectInstallation(account)
    account.hub.state.open(web)
    await sync.run()
    installation.isSuspended = true
    const suspended = { kind: 'auth', message: 'This installation has been suspended' }
    await expect(sync.run()).rejects.toMatchObject(suspended)
    expect(sync.items.size).toBe(1)
    sync.now += HOUR
    await expect(sync.run()).rejects.toMatchObject({ kind: 'auth' })
    installation.isSuspended = false
    await sync.run()
    expect(sync.items.size).toBe(1)
  })
})

describe('tokens', () => {
  it('of an app that is no longer installed end for good', async () => {
    const { hub, connect, adapter } = await start()
    const installation = hub.app.install('ada', 'User')
    const { credentials } = await connect()
    hub.app.uninstall(installation)
    await expect(adapter.refresh(credentials, signal)).rejects.toMatchObject({
      kind: 'auth',
      message: 'The app is no longer installed on GitHub',
    })
  })

  it('are a matter of the operator when the private key is another, and can come later', async () => {
    const { hub, connect, clock } = await start()
    hub.app.install('ada', 'User')
    const { credentials } = await connect()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { clientId, clientSecret } = hub.app
    const adapterWith = (app: { clientId: string; privateKey: typeof privateKey }, minutes = 0) =>
      createGitHubAppAdapter({
        app: { clientSecret, ...app },
        apiUrl: hub.url,
        clock: { now: () => new Date(clock.now() + minutes * 60_000) },
        extractor,
      })
    const right = createPrivateKey(hub.app.privateKey())
    const refused = { kind: 'unavailable', message: expect.stringContaining('private key or the server') }
    await expect(adapterWith({ clientId, privateKey }).refresh(credentials, signal)).rejects.toMatchObject(
      refused,
    )
    const slow = adapterWith({ clientId, privateKey: right }, -20)
    await expect(slow.refresh(credentials, signal)).rejects.toMatchObject(refused)
    const close = adapterWith({ clientId, privateKey: right }, 0.9)
    expect(await close.refresh(credentials, signal)).toMatchObject({ scopes: [] })
  })

  it('are revoked, also when they have expired', async () => {
    const { hub, connect, adapter } = await start()
    hub.app.install('ada', 'User')
    const { credentials } = await connect()
    await adapter.revoke(credentials, signal)
    expect(hub.app.tokens.check(credentials.accessToken)).toBe('revoked')
    await adapter.revoke(credentials, signal)
  })
})

it('accepts a private key on one line, and no other text', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const { GITHUB_APP_PRIVATE_KEY: setting } = githubAppSettings
  expect(setting.parse(pem.replaceAll('\n', String.raw`\n`))).toBe(pem)
  expect(setting.safeParse('a secret').success).toBe(false)
})
