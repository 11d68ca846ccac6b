import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SiteState } from './build.ts'
import { addGuide } from './serve-guide.ts'

let folder: string
let server: FastifyInstance
let state: SiteState

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guide-'))
  await mkdir(join(folder, 'assets'))
  await mkdir(join(folder, 'reference'))
  await writeFile(join(folder, 'index.html'), 'home')
  await writeFile(join(folder, 'reference/settings.html'), 'settings')
  await writeFile(join(folder, 'assets/app.AbC_123.js'), 'script')
  await writeFile(join(folder, 'assets/app.AbC_123.js.br'), 'compressed')
  await writeFile(join(folder, 'built-from'), 'a fingerprint')
  state = { is: 'ready' }
  server = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  server.decorate('publicUrl', () => 'https://memory.example.com')
  await addGuide(server, { folder, state: () => state, start: () => {}, stop: () => {} })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })

describe('the guide', () => {
  it('serves its pages with a policy that allows no inline script', async () => {
    for (const [path, body] of [
      ['/guide/', 'home'],
      ['/guide/index.html', 'home'],
      ['/guide/reference/settings.html', 'settings'],
    ]) {
      const answer = await get(path ?? '')
      expect([answer.statusCode, answer.body]).toEqual([200, body])
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(answer.headers['cache-control']).toBe('no-cache')
    }
  })

  it('returns 304 to a browser that has the page', async () => {
    const etag = String((await get('/guide/reference/settings.html')).headers.etag)
    expect((await get('/guide/reference/settings.html', { 'if-none-match': etag })).statusCode).toBe(304)
  })

  it('caches files with a hash in their name for a year, and compresses them', async () => {
    const answer = await get('/guide/assets/app.AbC_123.js', { 'accept-encoding': 'br' })
    expect([answer.body, answer.headers['content-encoding']]).toEqual(['compressed', 'br'])
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  it('prevents caching of the 404 for such a file, because another instance may have it', async () => {
    const answer = await get('/guide/assets/app.AbC_124.js')
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([404, undefined])
  })

  it('redirects its address without a slash, and pages without an extension', async () => {
    expect((await get('/guide')).headers.location).toBe('/guide/')
    expect((await get('/guide/reference/settings')).headers.location).toBe('/guide/reference/settings.html')
  })

  it('serves only its files', async () => {
    for (const path of [
      '/guide/built-from.',
      '/guide/assets/app.AbC_123.js.br',
      '/guide/none.html',
      '/guide/..%2f..%2fpackage.json',
      '/guide/%2e%2e/package.json',
    ])
      expect((await get(path)).statusCode, path).toBe(404)
  })

  it('shows that it is being built, and why a build failed', async () => {
    state = { is: 'preparing' }
    const preparing = await get('/guide/')
    expect([preparing.statusCode, preparing.headers['retry-after']]).toEqual([200, '3'])
    expect(preparing.body).toContain('The guide is being prepared')
    expect((await get('/guide/assets/app.AbC_123.js')).statusCode).toBe(404)
    state = { is: 'missing', reason: 'npm could not install' }
    const missing = await get('/guide/reference/settings.html')
    expect(missing.statusCode).toBe(503)
    expect(missing.body).toContain('npm could not install')
    expect(missing.body).toContain('node scripts/build-guide.mjs')
  })
})
