import { gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixContent, sendFixed } from './fixed-content.ts'

const TEXT = 'the same text for everybody\n'.repeat(100)
let server: FastifyInstance
let etag: string

beforeAll(async () => {
  server = Fastify()
  const content = await fixContent(TEXT, 'text/plain; charset=utf-8')
  etag = content.etag
  server.get('/', (request, reply) => sendFixed(request, reply, content))
})
afterAll(() => server.close())

const get = (headers: Record<string, string> = {}) => server.inject({ url: '/', headers })

describe('fixed content', () => {
  it('is sent with its type, an ETag and no-cache', async () => {
    const { statusCode, headers, body } = await get()
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: TEXT })
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      etag,
    })
  })

  it.each(['gzip', 'br, gzip;q=0.5', '*', 'GZIP'])(
    'is compressed for Accept-Encoding: %s',
    async (encoding) => {
      const { headers, rawPayload } = await get({ 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(rawPayload).toString()).toBe(TEXT)
    },
  )

  it.each(['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000'])(
    'is sent uncompressed for Accept-Encoding: %s',
    async (encoding) => {
      const { headers, body } = await get({ 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBeUndefined()
      expect(body).toBe(TEXT)
    },
  )

  it('is not sent again to a client that has it', async () => {
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const { statusCode, body, headers } = await get({ 'if-none-match': tag })
      expect({ statusCode, body, etag: headers['etag'] }, tag).toEqual({ statusCode: 304, body: '', etag })
    }
    expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200)
  })
})
