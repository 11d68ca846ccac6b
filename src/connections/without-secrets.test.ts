import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../process/logger.ts'
import { ProviderError } from '../providers/index.ts'
import { withoutSecrets } from './without-secrets.ts'

const ACCESS = 'access-token-4711'
const REFRESH = '1//refresh/token=4711'

/** The error of a careless provider client: its request is in every part of it. */
function careless(): Error {
  const request = `POST https://provider.example/revoke?token=${encodeURIComponent(REFRESH)}`
  const cause = Object.assign(new Error(`${request} failed: socket hang up`), {
    code: 'ECONNRESET',
    config: { url: request, headers: { authorization: `Bearer ${ACCESS}` }, body: `token=${REFRESH}` },
  })
  return new ProviderError('unavailable', `no answer to ${request} with ${ACCESS}`, {
    retryAfterMs: 5,
    code: '503',
    cause,
  })
}

function logged(error: unknown): string {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  createLogger('trace', stream).error({ err: error }, 'failed')
  return lines.join('')
}

describe('an error without its secrets', () => {
  it('names none of them in its message, stack, causes or attached fields, in the log or elsewhere', () => {
    expect(logged(careless())).toContain(ACCESS)
    const clean = withoutSecrets(careless(), [ACCESS, REFRESH, null])
    for (const text of [logged(clean), JSON.stringify(clean), String(clean.stack), String(clean.cause)]) {
      for (const secret of [ACCESS, REFRESH, encodeURIComponent(REFRESH)]) expect(text).not.toContain(secret)
    }
    expect(clean.cause).not.toHaveProperty('config')
  })

  it('still says what failed, and remains a provider failure', () => {
    const clean = withoutSecrets(careless(), [ACCESS, REFRESH])
    expect(clean).toBeInstanceOf(ProviderError)
    expect(clean).toMatchObject({ kind: 'unavailable', code: '503', retryAfterMs: 5 })
    expect(clean.message).toContain('no answer to POST https://provider.example/revoke?token=[redacted]')
    expect(clean.cause).toMatchObject({ code: 'ECONNRESET', message: expect.stringMatching(/hang up$/) })
  })

  it('ends on circular causes, and accepts values that are not errors', () => {
    const circle = new Error('round')
    circle.cause = circle
    expect(logged(withoutSecrets(circle, [ACCESS]))).toContain('round')
    expect(withoutSecrets(`Bearer ${ACCESS}`, [ACCESS]).message).not.toContain(ACCESS)
  })

  it('leaves strings that are too short to be a token', () => {
    expect(withoutSecrets(new Error('the old token'), ['old', '']).message).toBe('the old token')
  })
})
