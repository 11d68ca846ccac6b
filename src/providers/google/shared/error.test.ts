import { describe, expect, it } from 'vitest'
import { GoogleError } from './error.ts'

const refusalOf = (status: number, reason?: string) =>
  new GoogleError('rejected', 'Words that Google may change', {
    status,
    ...(reason === undefined ? {} : { reason }),
  }).refusal

describe("Google's refusals", () => {
  it('get their code from the reason, not from the message', () => {
    expect(refusalOf(403, 'insufficientPermissions')).toBe('missing_permission')
    expect(refusalOf(403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT')).toBe('missing_permission')
    expect(refusalOf(403, 'domainPolicy')).toBe('app_blocked')
    expect(refusalOf(400, 'admin_policy_enforced')).toBe('app_blocked')
    expect(refusalOf(403, 'accessNotConfigured')).toBe('api_disabled')
    expect(refusalOf(403, 'SERVICE_DISABLED')).toBe('api_disabled')
    expect(refusalOf(403, 'forbidden')).toBe('access_refused')
    expect(refusalOf(404, 'toString')).toBeNull()
  })

  it('do not include rate limits, which also come as 403', () => {
    const options = { status: 403, reason: 'userRateLimitExceeded' }
    expect(new GoogleError('rate_limited', 'x', options).refusal).toBeNull()
  })
})
