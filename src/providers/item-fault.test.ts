import { describe, expect, it } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import { isItemsOwn, ownFailure } from './item-fault.ts'
import { createOutageGuard } from './outage-guard.ts'
import { ProviderError } from './adapter.ts'

const withCode = (code: string) => Object.assign(new Error('broken'), { code })

const OWN = [
  new RangeError('Maximum call stack size exceeded'),
  new TypeError('secret.trim is not a function'),
  new Error('Invalid string length'),
  withCode('ERR_STRING_TOO_LONG'),
  'a string',
  undefined,
]

const EVERYBODYS = [
  new ProviderError('auth', 'revoked'),
  new ProviderError('rate_limited', 'slow down'),
  new AppError('upstream_error', 'the model is down'),
  withCode('08006'),
  withCode('23505'),
  withCode('ECONNREFUSED'),
  new Error('Connection terminated unexpectedly'),
  new DOMException('given up', 'AbortError'),
  new DOMException('too long', 'TimeoutError'),
]

describe('an error while one item is processed', () => {
  it("is the item's own fault, whatever its class [SYNC-13]", () => {
    for (const error of OWN) expect(isItemsOwn(error)).toBe(true)
  })

  it("is not the item's fault when every other item would meet it: provider, database, network, aborted call", () => {
    for (const error of EVERYBODYS) expect(isItemsOwn(error)).toBe(false)
  })

  it('is reported without its message, which may quote the item, and logged', () => {
    const fault = new TypeError('secret.trim is not a function')
    const failure = ownFailure('doc', 'It cannot be read', fault)
    expect(failure).toEqual({
      externalId: 'doc',
      message: 'It cannot be read: processing failed (TypeError)',
      code: 'service_failed',
      fault,
    })
    expect(ownFailure('doc', 'It cannot be read', 'secret').message).not.toContain('secret')
  })
})

const answering = async () => {}
const unaborted = () => new AbortController().signal

describe('the adapters', () => {
  const judge = (error: unknown) => createOutageGuard(unaborted(), answering).failureOf('doc', error)

  it("record it as that item's failure", async () => {
    for (const error of OWN) expect(await judge(error)).toMatchObject({ externalId: 'doc', fault: error })
  })

  it('pass on errors that affect every item and end the run', async () => {
    for (const error of EVERYBODYS) await expect((async () => judge(error))()).rejects.toBe(error)
  })
})

it('blame no item when the run must stop', async () => {
  const stopping = new AbortController()
  const guard = createOutageGuard(stopping.signal, answering)
  stopping.abort(new Error('the worker is stopping'))
  await expect(guard.failureOf('doc', new TypeError('aborted in the middle'))).rejects.toThrow(
    'the worker is stopping',
  )
})
