import { describe, expect, it } from 'vitest'
import { paymentFault } from './plan-words.ts'
import { checkoutTerms, trialLeft, whatIsPlanned, whatWouldStop } from './plans.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')

describe('the effects of a smaller plan', () => {
  it('are the agents and connectors beyond its limits', () => {
    const room = { agents: 2, connectors: 2 }
    expect(whatWouldStop(room, { agentsUsed: 2, connectorsUsed: 2 })).toBeNull()
    expect(whatWouldStop(room, { agentsUsed: 5, connectorsUsed: 1 })).toBe('The newest 3 agents would stop.')
    expect(whatWouldStop(room, { agentsUsed: 3, connectorsUsed: 4 })).toBe(
      'The newest agent and the newest 2 connectors would stop.',
    )
    expect(
      whatWouldStop({ agents: null, connectors: null }, { agentsUsed: 900, connectorsUsed: 900 }),
    ).toBeNull()
  })
})

describe('a planned change', () => {
  const at = '2026-04-01T00:00:00.000Z'

  it('is the end or another plan, with the interval if that changes', () => {
    const planned = (tier: 'builder' | 'studio' | null, interval: 'monthly' | 'annual' | null) =>
      whatIsPlanned({ interval: 'annual', plannedChange: { at, tier, interval } })
    expect(whatIsPlanned({ interval: 'monthly', plannedChange: null })).toBeNull()
    expect(planned(null, null)).toEqual({ name: null, at, plan: null })
    expect(planned('studio', 'annual')).toMatchObject({ name: 'Studio', plan: { tier: 'studio' } })
    expect(planned('builder', 'monthly')).toMatchObject({ name: 'Builder, monthly', at })
  })
})

describe('the terms of a checkout', () => {
  it('name the trial and the card, or that the trial is used', () => {
    const terms = (status: Parameters<typeof checkoutTerms>[0]['status'], trialDays: number) =>
      checkoutTerms({ status, trialDays, cardRequired: true })
    expect(terms('incomplete', 7)).toContain('7-day free trial. A card is required')
    expect(terms('canceled', 0)).toContain('has used its free trial. A card is required')
    expect(terms('active', 0)).toBe('')
  })
})

describe('the rest of a trial', () => {
  it.each([
    [null, null],
    ['2026-03-08T12:00:00.000Z', '7 days left of the trial'],
    ['2026-03-02T13:00:00.000Z', '1 day left of the trial'],
    ['2026-03-01T13:00:00.000Z', 'The trial ends within a day'],
    ['2026-03-01T11:00:00.000Z', 'The trial ends now'],
  ])('until %s is %s', (trialEndsAt, expected) => {
    expect(trialLeft(trialEndsAt, NOW)).toBe(expected)
  })
})

describe('the notice of a payment', () => {
  it('is shown for failed payments and a missing card of a bought plan', () => {
    type Plan = Parameters<typeof paymentFault>[0]
    const title = (status: Plan['status'], paymentMethodMissing = false, tier: Plan['tier'] = null) =>
      paymentFault({ status, tier, paymentMethodMissing })?.title
    expect(title('past_due')).toContain('failed')
    expect(title('unpaid')).toContain('unpaid')
    expect(title('trialing', true)).toContain('no payment method')
    expect(title('active')).toBeUndefined()
    expect(title('internal', true)).toBeUndefined()
    expect(title('incomplete', true)).toBeUndefined()
    expect(title('incomplete', false, 'builder')).toContain('not complete')
  })
})
