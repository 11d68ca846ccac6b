import { describe, expect, it } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import { ProviderError } from '../providers/index.ts'
import { failureCodeOf } from './failure-code.ts'

describe('the code of a failed run', () => {
  it("is the provider's refusal, or that the access has ended", () => {
    expect(failureCodeOf(new ProviderError('auth', 'x', { refusal: 'missing_permission' }))).toBe(
      'missing_permission',
    )
    expect(failureCodeOf(new ProviderError('auth', 'Insufficient Permission'))).toBe('access_ended')
    expect(failureCodeOf(new ProviderError('rejected', 'No', { code: '403' }))).toBe('access_refused')
  })

  it('is that the provider is not set up here', () => {
    expect(failureCodeOf(new AppError('not_configured', 'No settings'))).toBe('not_configured')
  })

  it('is null for outages, rate limits and errors of the service, whatever their words', () => {
    const others = [
      new ProviderError('unavailable', '403 Forbidden', { code: '503' }),
      new ProviderError('rate_limited', 'missing_scope', { code: '403' }),
      new ProviderError('rejected', 'not found', { code: '404' }),
      new AppError('overloaded', 'Busy'),
      new Error('permission'),
    ]
    expect(others.map(failureCodeOf)).toEqual(others.map(() => null))
  })
})
