import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VERSION } from '../kernel/version.ts'
import type { SiteState } from './build.ts'
import type { ConsoleSignIn } from './page-config.ts'
import { addConsole } from './serve.ts'

let folder: string
let server: FastifyInstance
let state: SiteState
let signIn: ConsoleSignIn

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), 'the page')
  await writeFile(join(folder, 'theme.js'), 'the theme')
  await writeFile(join(folder, 'assets/index-AbC_123.js'), 'the script')
  await writeFile(join(folder, 'assets/index-AbC_123.js.br'), 'the compressed script')
  await writeFile(join(folder, 'built-from'), 'a fingerprint')
  state = { is: 'ready' }
  signIn = {
    by: 'issuer',
    issuer: 'https://id.example.com/realms/acme',
    clientId: 'console',
    scope: 'openid',
    resource: null,
    metadataUrl: null,
    token: 'access_token',
  }
  server = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  server.decorate('publicUrl', () => 'https://memory.example.com')
  await addConsole(server, {
    build: { folder, state: () => state, start: () => {}, stop: () => {} },
    signIn: () => signIn,
    hasLanguageModel: true,
    providers: [],
    backendSignIn: null,
  })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })

describe('the console', () => {
  it('serves the same page at every address below it that is not a file', async () => {
    for (const path of [
      '/console/',
      '/console/sources',
      '/console/audit',
      '/console/un/known',
      '/console/built-from',
    ]) {
      const answer = await get(path)
      expect({ path, status: answer.statusCode, body: answer.body }).toEqual({
        path,
        status: 200,
        body: 'the page',
      })
      expect(answer.headers['cache-control']).toBe('no-cache')
    }
    const redirect = await get('/console?checkout=done')
    expect(redirect.headers.location).toBe('/console/?checkout=done')
  })

  it("can run only the service's scripts, contact only it and the issuer, and appear in no frame", async () => {
    const policy = String((await get('/console/')).headers['content-security-policy']).split('; ')
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("connect-src 'self' https://id.example.com")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    if (signIn.by !== 'nobody') signIn = { ...signIn, metadataUrl: 'https://memory.example.com/metadata' }
    expect((await get('/console/')).headers['content-security-policy']).toContain("connect-src 'self';")
    signIn = { by: 'nobody', reason: 'set OIDC_ISSUER' }
    expect((await get('/console/')).headers['content-security-policy']).toContain("connect-src 'self';")
  })

  it('sends hashed files compressed and cached for good, and others to be revalidated', async () => {
    const script = await get('/console/assets/index-AbC_123.js', { 'accept-encoding': 'gzip, br' })
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
    })
    expect(script.body).toBe('the compressed script')
    const plain = await get('/console/assets/index-AbC_123.js', { 'accept-encoding': 'identity' })
    expect(plain.body).toBe('the script')
    expect((await get('/console/theme.js')).headers['cache-control']).toBe('no-cache')
    // Another instance may have it.
    const missing = await get('/console/assets/index-AbC_124.js')
    expect([missing.statusCode, missing.headers['cache-control']]).toEqual([404, undefined])
  })

  it('serves no page for a missing file, and nothing from outside its folder', async () => {
    expect((await get('/console/assets/gone-AbC.js')).statusCode).toBe(404)
    for (const path of ['/console/assets/..%2f..%2fpackage.json', '/console/..%2fpackage.json'])
      expect((await get(path)).body).toBe('the page')
  })

  it('tells the page its address and version, how people sign in, how long data is stored, and whether there is a language model', async () => {
    expect((await get('/console/config.json')).json()).toEqual({
      publicUrl: 'https://memory.example.com',
      version: VERSION,
      signIn,
      hasLanguageModel: true,
      providers: [],
    })
  })
})

describe('without a console', () => {
  it('a page says that it is being built and reloads itself, without a script', async () => {
    state = { is: 'preparing' }
    const answer = await get('/console/audit')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toContain('<meta http-equiv="refresh" content="3" />')
    expect(answer.body).not.toContain('<script')
    expect((await get('/console/assets/index-AbC_123.js')).statusCode).toBe(404)
  })

  it('a page says why the build failed, and what to do', async () => {
    state = { is: 'missing', reason: 'npm found no <network>' }
    const answer = await get('/console/')
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm found no &#60;network&#62;')
    expect(answer.body).toContain('node scripts/build-console.mjs')
  })
})
