import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newSecret, signedHeaders } from './secrets.ts'
import { ATTEMPTS_MAX, FAILING_MS, waitAfter } from './sending/schedule.ts'

const payload = '{"type":"webhook.test","data":{"text":"Grüße \\ud83d"}}'
const message = { id: 'msg_1', at: new Date(), payload }

describe('a signature', () => {
  it('passes the Standard Webhooks library, by each secret', () => {
    const [current, previous] = [newSecret(), newSecret()]
    const headers = signedHeaders(message, [current, previous])
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(payload, headers)).toEqual(JSON.parse(payload))
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
  })

  it('fits no other secret, id, time or body', () => {
    const secret = newSecret()
    const headers = signedHeaders(message, [secret])
    const later = String(Number(headers['webhook-timestamp']) + 1)
    const verify = (changed: Partial<typeof headers>, by = secret, body = payload) =>
      new Webhook(by).verify(body, { ...headers, ...changed })
    expect(() => verify({}, newSecret())).toThrow('signature')
    expect(() => verify({ 'webhook-id': 'msg_2' })).toThrow('signature')
    expect(() => verify({ 'webhook-timestamp': later })).toThrow('signature')
    expect(() => verify({}, secret, `${payload} `)).toThrow('signature')
  })

  it('uses a secret of 32 random bytes', () => {
    const secrets = Array.from({ length: 50 }, newSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_/)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    }
  })
})

describe('the retry schedule', () => {
  const waits = (random: number) =>
    Array.from({ length: ATTEMPTS_MAX - 1 }, (_, at) => waitAfter(at + 1, random) ?? Number.NaN)

  it('ends after ten attempts over three days, never sooner', () => {
    expect(ATTEMPTS_MAX).toBe(10)
    expect(waitAfter(ATTEMPTS_MAX, 0)).toBeNull()
    for (const random of [0, 0.5, 1]) {
      const total = waits(random).reduce((sum, wait) => sum + wait, 0)
      expect(total).toBeGreaterThanOrEqual(FAILING_MS)
      expect(total).toBeLessThan(FAILING_MS * 1.15)
    }
  })

  it('waits longer each time, with up to 10% jitter so that attempts drift apart', () => {
    const [least, most] = [waits(0), waits(1)]
    expect(least).toEqual(least.toSorted((a, b) => a - b))
    expect(least.slice(0, 3)).toEqual([5_000, 300_000, 1_800_000])
    expect(most).toEqual(least.map((wait) => Math.round(wait * 1.1)))
  })
})
