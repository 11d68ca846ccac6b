import { describe, expect, it } from 'vitest'
import { loggedDays, spanOf } from './logged-days.ts'
import { REQUESTS_KEPT_DAYS } from '../../../../src/kernel/retention.ts'

describe('the days of the request log', () => {
  it('are today, yesterday and those before, across months', () => {
    const days = loggedDays(new Date(2026, 2, 2, 0, 30))
    expect(days.slice(0, 3)).toEqual([
      { value: '2026-03-02', label: 'Today' },
      { value: '2026-03-01', label: 'Yesterday' },
      { value: '2026-02-28', label: 'Saturday, Feb 28' },
    ])
    expect(days).toHaveLength(REQUESTS_KEPT_DAYS + 1)
  })

  it('last from midnight to midnight where the browser is', () => {
    expect(spanOf('2026-02-28')).toEqual({
      from: new Date(2026, 1, 28).toISOString(),
      to: new Date(2026, 2, 1).toISOString(),
    })
  })
})
