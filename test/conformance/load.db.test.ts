import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../support/documents.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization()
})
afterAll(() => service.close())

const MEBIBYTE = 1024 * 1024
const ingest = (raw: string, key = organization.adminKey) => service.call('POST', '/v1/ingest', { key, raw })
const keys = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join()

const HOSTILE: [what: string, body: string, code: string][] = [
  ['many keys', `{"documents":[{"metadata":{${keys(700_000)}}}]}`, 'validation_failed'],
  ['single characters', `{"documents":[${'1,'.repeat(5 * MEBIBYTE - 20)}1]}`, 'validation_failed'],
  ['empty documents', `{"documents":[${'{},'.repeat(3 * MEBIBYTE)}{}]}`, 'validation_failed'],
  ['deep nesting', '['.repeat(10 * MEBIBYTE), 'malformed_json'],
  ['a huge number', `{"documents":[${'1'.repeat(10 * MEBIBYTE - 100)}]}`, 'malformed_json'],
  ['a long string', `{"documents":[{"body":"${'x'.repeat(10 * MEBIBYTE - 100)}"}]}`, 'validation_failed'],
  ['backslashes', `{"a":"${'\\'.repeat(10 * MEBIBYTE - 100)}"}`, 'validation_failed'],
]

describe('a hostile body of up to 10 MiB', () => {
  it.each(HOSTILE)(
    'of %s is refused, and other requests are served meanwhile [LOAD-1, ERR-11]',
    async (_what, body, code) => {
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const [answer] = await Promise.all([ingest(body), service.call('GET', '/healthz')])
      delay.disable()
      expect(answer, answer.text).toMatchObject({ status: 400, body: { code } })
      // Measured: tens of milliseconds, as opposed to thousands when parsed on the event loop. The rest allows for a
      // busy machine.
      expect(delay.max / 1e6).toBeLessThan(1_500)
    },
  )

  it('names the document whose metadata has too many values [LOAD-1, ERR-2]', async () => {
    const metadata = (count: number): Record<string, number> => JSON.parse(`{${keys(count)}}`)
    const documents = [1_000, 1_001].map((count, n) =>
      documentOf(organization, { externalId: `m${n}`, metadata: metadata(count) }),
    )
    expect((await ingest(JSON.stringify({ documents: documents.slice(0, 1) }))).status).toBe(200)
    expect(await ingest(JSON.stringify({ documents }))).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'documents.1.metadata', message: expect.stringContaining('1000') }] },
    })
  })
})

describe('many requests at once', () => {
  it(
    'are all accepted when they are sixty small ingests of one key [LOAD-2]',
    { timeout: 120_000 },
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          ingest(JSON.stringify({ documents: [documentOf(organization, { externalId: `small-${n}` })] })),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    },
  )

  it('of one workspace do not block another [LOAD-3]', { timeout: 120_000 }, async () => {
    const other = await service.organization()
    const large = (n: number): string => {
      const documents = Array.from({ length: 40 }, (_, m) =>
        documentOf(organization, { externalId: `large-${n}-${m}`, body: `Sentence ${m}. `.repeat(1_000) }),
      )
      return JSON.stringify({ documents })
    }
    let flooded = 0
    const flood = Array.from({ length: 12 }, async (_, n) => {
      const answer = await ingest(large(n))
      flooded += 1
      return answer
    })
    const small = await ingest(JSON.stringify({ documents: [documentOf(other)] }), other.adminKey)
    const before = flooded
    expect(small).toMatchObject({ status: 200, body: { ingested: 1 } })
    expect(before).toBeLessThan(12)
    for (const { status, body } of await Promise.all(flood))
      expect([200, body.code]).toContain(status === 200 ? 200 : 'overloaded')
  })

  it(
    'of searches succeed or get 503 with Retry-After, and nothing else [ERR-14, LOAD-3]',
    { timeout: 120_000 },
    async () => {
      const { adminKey: key } = organization
      const answers = await Promise.all(
        Array.from({ length: 300 }, () =>
          service.call('POST', '/v1/search', { key, body: { query: 'sentence' } }),
        ),
      )
      for (const { status, headers, text } of answers) {
        expect([200, 503], text).toContain(status)
        if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/)
      }
    },
  )
})
