import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IngestDocument, IngestError, Memory, type IngestProgress } from '../src/index.ts'
import { fakeService, problem, type SentRequest, success } from './fake-service.ts'

const aDocument = (externalId: string, values: Partial<IngestDocument> = {}): IngestDocument => ({
  connectorId: '5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60',
  provider: 'notion',
  sourceKind: 'document',
  externalId,
  title: externalId,
  body: 'text',
  ...values,
})

const documentsOf = ({ body }: SentRequest): IngestDocument[] => {
  const { documents }: { documents: IngestDocument[] } = JSON.parse(JSON.stringify(body))
  return documents
}
const idsOf = (request: SentRequest): string[] => documentsOf(request).map(({ externalId }) => externalId)
const store = (request: SentRequest): Response =>
  success({ ingested: documentsOf(request).length, skipped: 0 })
const connect = (service: { fetch: typeof fetch }): Memory =>
  new Memory({ apiKey: 'svc_x', url: 'http://memory.test', fetch: service.fetch, retry: false })

describe('ingest', () => {
  it('sends all documents in order, within the limits, and never two with the same key in one request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.nat(30), length: fc.nat(3_000) }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        async (given, documentsPerRequest) => {
          const service = fakeService(store)
          const documents = given.map(({ key, length }) => aDocument(`${key}`, { body: 'ä'.repeat(length) }))
          const limits = { documentsPerRequest, bytesPerRequest: 10_000 }
          const progress = await connect(service).ingest(documents, limits)
          expect(progress).toMatchObject({ ingested: documents.length, requests: service.requests.length })
          expect(service.requests.flatMap(documentsOf)).toEqual(documents)
          for (const request of service.requests) {
            const ids = idsOf(request)
            expect(new Set(ids).size).toBe(ids.length)
            expect(ids.length).toBeLessThanOrEqual(documentsPerRequest)
            expect(Buffer.byteLength(JSON.stringify(request.body))).toBeLessThanOrEqual(10_000)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('sends up to 1,000 documents per request, reads an async iterable, and reports progress', async () => {
    const service = fakeService(store)
    const reported: IngestProgress[] = []
    async function* source(): AsyncGenerator<IngestDocument> {
      for (let n = 0; n < 2_001; n++) yield aDocument(`${n}`)
    }
    await connect(service).ingest(source(), { onProgress: (progress) => reported.push(progress) })
    expect(reported.map(({ ingested }) => ingested)).toEqual([1_000, 2_000, 2_001])
    expect(reported.at(-1)).toEqual({ ingested: 2_001, skipped: 0, refused: 0, requests: 3 })
  })

  it('refuses limits above those of the service, and documents that are too large for any request', async () => {
    const service = fakeService(store)
    const memory = connect(service)
    await expect(memory.ingest([], { documentsPerRequest: 1_001 })).rejects.toThrow(RangeError)
    await expect(memory.ingest([], { bytesPerRequest: 11 * 1024 * 1024 })).rejects.toThrow(RangeError)
    const tooLong = aDocument('long', { body: 'ä'.repeat(524_289) })
    await expect(memory.ingest([tooLong])).rejects.toThrow(/"long" of notion has a body of 1048578 bytes/)
    const huge = aDocument('huge', { metadata: { x: 'x'.repeat(10 * 1024 * 1024) } })
    await expect(memory.ingest([huge])).rejects.toThrow(/as JSON/)
    expect(service.requests).toEqual([])
    const fits = aDocument('fits', { body: 'ä'.repeat(524_288) })
    expect(await memory.ingest([fits])).toMatchObject({ ingested: 1 })
  })

  it('throws at the first refusal, with the documents of the request and the progress', async () => {
    const issues = [{ path: 'documents.0.title', message: 'title must not be empty' }]
    const service = fakeService((request) =>
      idsOf(request).includes('bad') ? problem(400, 'validation_failed', { issues }) : store(request),
    )
    const documents = [aDocument('a'), aDocument('bad'), aDocument('c')]
    const error: unknown = await connect(service)
      .ingest(documents, { documentsPerRequest: 1 })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(IngestError)
    expect(error).toMatchObject({
      code: 'validation_failed',
      issues,
      documents: [documents[1]],
      progress: { ingested: 1 },
    })
    expect(service.requests).toHaveLength(2)
  })

  it.each(['issues', 'index', 'neither'])(
    'stores the other documents and reports the refused ones, located by %s of the error',
    async (named) => {
      const bad = new Set(['3', '7'])
      const service = fakeService((request) => {
        const ids = idsOf(request)
        const at = ids.flatMap((id, index) => (bad.has(id) ? [index] : []))
        if (at.length === 0) return store(request)
        if (named === 'issues')
          return problem(400, 'validation_failed', {
            issues: at.map((index) => ({ path: `documents.${index}.url`, message: 'url is no link' })),
          })
        return named === 'index'
          ? problem(400, 'provider_mismatch', { index: at[0] })
          : problem(413, 'body_too_large', { limitBytes: 1 })
      })
      const refused: string[] = []
      const stored: string[] = []
      const documents = Array.from({ length: 10 }, (_, n) => aDocument(`${n}`))
      const progress = await connect(service).ingest(documents, {
        onRefused: ({ externalId }) => refused.push(externalId),
        onStored: (some) => void stored.push(...some.map(({ externalId }) => externalId)),
      })
      expect(refused.toSorted()).toEqual(['3', '7'])
      expect(stored.toSorted()).toEqual(['0', '1', '2', '4', '5', '6', '8', '9'])
      expect(progress).toMatchObject({ ingested: 8, refused: 2, requests: service.requests.length })
    },
  )

  it('ends with an error of its listener, or one that every request would meet', async () => {
    const refusing = fakeService(() => problem(400, 'validation_failed'))
    const enough = new Error('enough')
    const onRefused = (): void => {
      throw enough
    }
    await expect(connect(refusing).ingest([aDocument('a')], { onRefused })).rejects.toBe(enough)
    const unknown = fakeService(() => problem(404, 'not_found'))
    await expect(connect(unknown).ingest([aDocument('a')], { onRefused })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
