import { describe, expect, it } from 'vitest'
import { plannedChange, plannedPrices } from './stripe-schedule.ts'

const [NOW_ENDS, THEN] = [1_000, 2_000]
const at = (seconds: number) => new Date(seconds * 1000)

const STUDIO = { tier: 'studio', interval: 'monthly' } as const
const BUILDER = { tier: 'builder', interval: 'monthly' } as const
const YEARLY = { tier: 'studio', interval: 'annual' } as const
const plans = new Map<string, typeof STUDIO | typeof BUILDER | typeof YEARLY>([
  ['studio', STUDIO],
  ['builder', BUILDER],
  ['yearly', YEARLY],
])

const phase = (start: number, ...prices: (string | { id: string })[]) => ({
  start_date: start,
  items: prices.map((price) => ({ price })),
})
const schedule = (...next: ReturnType<typeof phase>[]) => ({
  status: 'active',
  current_phase: { end_date: NOW_ENDS },
  phases: [phase(0, 'studio', 'meter'), ...next],
})
const nothing = { cancel_at: null, cancel_at_period_end: false, ended_at: null, schedule: null }
const read = (subscription: Partial<Parameters<typeof plannedChange>[0]>) =>
  plannedChange({ ...nothing, ...subscription }, { present: STUDIO, periodEnd: NOW_ENDS, plans })

describe('the planned change of a Stripe subscription', () => {
  it('is null when nothing is planned, or the plan continues', () => {
    expect(read({})).toBeNull()
    expect(read({ schedule: 'sub_sched_1' })).toBeNull()
    expect(read({ schedule: schedule() })).toBeNull()
    expect(read({ schedule: schedule(phase(NOW_ENDS, 'studio', 'meter')) })).toBeNull()
  })

  it('is the first phase with another plan or interval, next to metered prices', () => {
    const meterFirst = schedule(phase(NOW_ENDS, 'meter', 'studio'), phase(THEN, 'meter', { id: 'builder' }))
    expect(read({ schedule: meterFirst })).toEqual({ at: at(THEN), plan: BUILDER })
    expect(read({ schedule: schedule(phase(THEN, 'builder'), phase(NOW_ENDS, 'yearly')) })).toEqual({
      at: at(NOW_ENDS),
      plan: YEARLY,
    })
  })

  it('is null when a phase has an unknown plan', () => {
    expect(read({ schedule: schedule(phase(NOW_ENDS, 'special'), phase(THEN, 'builder')) })).toBeNull()
  })

  it('ignores a finished schedule', () => {
    const over = { ...schedule(phase(NOW_ENDS, 'builder')), status: 'released', current_phase: null }
    expect(read({ schedule: over })).toBeNull()
    expect(read({ schedule: schedule(phase(NOW_ENDS, 'builder')), ended_at: 900 })).toBeNull()
  })

  it("is the subscription's end, unless another plan comes first", () => {
    expect(read({ cancel_at_period_end: true })).toEqual({ at: at(NOW_ENDS), plan: null })
    expect(read({ cancel_at: THEN })).toEqual({ at: at(THEN), plan: null })
    const later = schedule(phase(THEN, 'builder'))
    expect(read({ cancel_at: NOW_ENDS, schedule: later })).toEqual({ at: at(NOW_ENDS), plan: null })
    expect(read({ cancel_at: THEN + 1, schedule: later })).toEqual({ at: at(THEN), plan: BUILDER })
  })
})

describe('the planned prices', () => {
  it('are those of coming phases, each once', () => {
    const subscriptions = [
      { schedule: schedule(phase(NOW_ENDS, 'builder', 'meter'), phase(THEN, { id: 'builder' })) },
      { schedule: null },
    ]
    expect(plannedPrices(subscriptions)).toEqual(['builder', 'meter'])
  })
})
