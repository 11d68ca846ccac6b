import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('the operation routes', () => {
  it('report a live and ready process, and one that is draining [OPS-1]', async () => {
    expect(await service.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await service.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
    const other = await startTestService({ database: service.database })
    try {
      other.app.startDraining()
      expect(await other.call('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'not_ready' } })
      expect((await other.call('GET', '/healthz')).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  it('refuse every other route while the process drains, in the usual error format [OPS-5]', async () => {
    const other = await startTestService({ database: service.database })
    try {
      other.app.startDraining()
      for (const path of ['/v1/sources', '/v1/console/me', '/operator/organizations', '/docs', '/nothing']) {
        const answer = await other.call('GET', path)
        expect(answer, path).toMatchObject({ status: 503, body: { code: 'not_ready' } })
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      }
      const page = await other.call('GET', '/v1/oauth/slack/callback', { headers: { Accept: 'text/html' } })
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
    } finally {
      await other.close()
    }
  })

  it('serve the API document with this URL, its page, and metrics by route [OPS-2]', async () => {
    const { status, body } = await service.call('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(body).toMatchObject({ openapi: expect.stringMatching(/^3\.1/), servers: [{ url: service.url }] })
    for (const path of ['/docs', '/docs/']) {
      const page = await fetch(service.url + path)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(await page.text()).toContain('Retrieval Memory Service')
    }
    expect((await fetch(`${service.url}/docs/js/other.js`)).status).toBe(404)
    const metrics = await service.call('GET', '/metrics')
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(metrics.text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/openapi.json",status="200"\} 1/,
    )
  })
})

describe('cacheable public content', () => {
  it.each(['/openapi.json', '/llms.txt', '/docs', '/docs/js/scalar.js', '/docs/js/start.js'])(
    '%s is resent only when it has changed',
    async (path) => {
      const first = await fetch(service.url + path)
      expect(first.status).toBe(200)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
      const second = await fetch(service.url + path, { headers: { 'If-None-Match': etag } })
      expect([second.status, await second.text()]).toEqual([304, ''])
    },
  )

  it('runs no inline script on the reference page', async () => {
    const page = await fetch(`${service.url}/docs`)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/script-src[^;]*unsafe|blob:/)
    const scripts = [...(await page.text()).matchAll(/<script([^>]*)>([^]*?)<\/script>/g)]
    expect(scripts.map(([, attributes, content]) => [attributes, content])).toEqual([
      [' src="/docs/js/scalar.js"', ''],
      [' src="/docs/js/start.js"', ''],
    ])
  })
})

describe('/llms.txt', () => {
  it('is a public page in the llmstxt.org format, with this URL [REF-4]', async () => {
    const page = await service.call('GET', '/llms.txt')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const [head = '', ...sections] = page.text.split(/^## /m)
    expect(head).toMatch(/^# Retrieval Memory Service\n\n> .+\n\n/)
    expect(head).not.toMatch(/\n#/)
    expect(head).toContain(service.url)
    expect(sections.length).toBeGreaterThan(3)
    for (const section of sections) {
      const [title, blank, ...entries] = section.trimEnd().split('\n')
      expect(title).not.toBe('')
      expect(blank).toBe('')
      for (const entry of entries) expect(entry).toMatch(/^- \[[^\]]+\]\(http:[^ ]+\): ./)
    }
    expect(page.text).not.toContain('undefined')
    const { body } = await service.call('GET', '/openapi.json')
    expect(body.info.description).toContain('(/llms.txt)')
  })

  it('lists each agent operation with its action and an example, each error code, and no other surface [REF-4]', async () => {
    const { text } = await service.call('GET', '/llms.txt')
    for (const { access, method, path } of routes) {
      const entry = text.split('\n').find((line) => line.startsWith(`- [${method} ${path}](`))
      if (access.surface !== 'agent') expect(entry, path).toBeUndefined()
      else
        expect(entry).toMatch(
          new RegExp(`Action \`${access.action}\`, (free|1 credit)\\. Example: \`[^{]*[^\`]+\`$`),
        )
    }
    for (const [code, status] of Object.entries(ERROR_CODES))
      expect(text).toContain(`\`${code}\` (${status}): `)
    expect(text).toContain('100000 requests a minute')
  })
})

describe('the operator surface', () => {
  it("accepts only the operator's token, which works nowhere else [OPS-3]", async () => {
    const { adminKey } = await service.organization()
    const call = async (path: string, key?: string) => (await service.call('GET', path, { key })).status
    expect(await call('/operator/organizations', OPERATOR_TOKEN)).toBe(200)
    for (const key of [undefined, adminKey, `${OPERATOR_TOKEN}x`, OPERATOR_TOKEN.slice(1)]) {
      expect(await call('/operator/organizations', key)).toBe(401)
    }
    expect(await call('/v1/sources', OPERATOR_TOKEN)).toBe(401)
    expect(await call('/v1/console/me', OPERATOR_TOKEN)).toBe(401)
  })

  it('refuses to back up an external database, and suggests its own tools', async () => {
    const answer = await service.call('GET', '/operator/backup', { key: OPERATOR_TOKEN })
    expect(answer).toMatchObject({ status: 503, body: { code: 'not_configured' } })
    expect(answer.body.error).toContain('pg_dump')
  })

  it('does not exist without that setting [OPS-3]', async () => {
    const without = await startTestService({ database: service.database, operatorToken: undefined })
    try {
      expect(await without.call('GET', '/operator/organizations', { key: OPERATOR_TOKEN })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    } finally {
      await without.close()
    }
  })
})
