import { describe, expect, it } from 'vitest'
import { toAppError } from './error-response.ts'

describe('an error of the database', () => {
  it.each([
    ['40001', 'could not serialize access due to concurrent update', 'overloaded'],
    ['40P01', 'deadlock detected', 'overloaded'],
    ['53300', 'sorry, too many clients already', 'overloaded'],
    ['57P01', 'terminating connection due to administrator command', 'not_ready'],
    ['ECONNRESET', 'Connection terminated unexpectedly', 'not_ready'],
  ])('with the code %s answers 503 with Retry-After', (code, message, expected) => {
    const error = toAppError(Object.assign(new Error(message), { code }))
    expect(error).toMatchObject({ code: expected, headers: { 'Retry-After': '5' } })
  })

  it('of any other kind answers 500', () => {
    expect(toAppError(Object.assign(new Error('syntax error'), { code: '42601' }))).toMatchObject({
      code: 'internal',
    })
  })
})
