import { expect, it } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import { createMessageLimit } from './message-limit.ts'

const subject = { organizationId: 'acme', subjectId: 'key' }

function start(limitPerMinute: number) {
  let at = Date.UTC(2026, 0, 31)
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

it.each([9, 14, 70, 999])('admits all %i messages of a limit that does not divide a minute', (limit) => {
  const { admits } = start(limit)
  expect(Array.from({ length: limit + 1 }, () => admits()).filter(Boolean)).toHaveLength(limit)
})

it('does not refuse for longer than a minute when the clock is turned back', () => {
  const { admits, wait } = start(5)
  for (let count = 0; count < 6; count += 1) admits()
  wait(-3_600_000)
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

it('keeps to the limit whatever it is, message by message', () => {
  for (let limit = 1; limit <= 400; limit += 1) {
    const { admits, wait } = start(limit)
    let admitted = 0
    for (let ms = 0; ms < 60_000; ms += 60_000 / limit / 4) {
      if (admits()) admitted += 1
      wait(60_000 / limit / 4)
    }
    expect([limit, admitted >= limit, admitted <= 2 * limit]).toEqual([limit, true, true])
  }
})
