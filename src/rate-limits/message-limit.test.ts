import { expect, it } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import { createMessageLimit } from './message-limit.ts'

const subject = { organizationId: 'acme', subjectId: 'key' }

function start(limitPerMinute: number) {
  let at = 1_000_000
  const admit = createMessageLimit({ limitPerMinute, action: 'mcp', now: () => at })
  const admits = (by = subject): boolean => {
    try {
      admit(by)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      return false
    }
  }
  return { admit, admits, wait: (ms: number) => void (at += ms) }
}

it('admits a burst up to the limit, then one message per interval', () => {
  const { admits, wait } = start(60)
  expect(Array.from({ length: 61 }, () => admits()).filter(Boolean)).toHaveLength(60)
  wait(999)
  expect(admits()).toBe(false)
  wait(1)
  expect([admits(), admits()]).toEqual([true, false])
})

it('admits a whole burst again after a quiet minute', () => {
  const { admits, wait } = start(5)
  for (let count = 0; count < 6; count += 1) admits()
  wait(60_000)
  expect(Array.from({ length: 6 }, () => admits())).toEqual([true, true, true, true, true, false])
})

it('counts each subject separately', () => {
  const { admits } = start(1)
  expect([admits(), admits(), admits({ ...subject, subjectId: 'other' })]).toEqual([true, false, true])
})

it('names the time at which the next message passes', () => {
  const { admit, wait } = start(2)
  admit(subject)
  admit(subject)
  wait(10_000)
  const details = { action: 'mcp', limit: 2, retryAfterSeconds: 20 }
  expect(() => admit(subject)).toThrow(
    expect.objectContaining({ code: 'rate_limited', details: expect.objectContaining(details) }),
  )
})
