import { z } from 'zod'
import type Stripe from 'stripe'
import { found, listOf } from './account.ts'
import { pathId, type ApiRoute } from './api.ts'
import { DAY, HOUR } from './clock.ts'
import { expand, page, readInput, text, whole } from './inputs.ts'
import type { Meters } from './meters.ts'
import { invalid } from './stripe-error.ts'

const NewEvent = z.strictObject({
  event_name: text,
  payload: z.record(z.string(), z.string()),
  identifier: text.optional(),
  timestamp: whole.optional(),
  expand,
})
const Summaries = z.strictObject({
  ...page,
  customer: text,
  start_time: whole,
  end_time: whole,
  value_grouping_window: z.enum(['day', 'hour']).optional(),
})

export function meterRoutes(meters: Meters): Record<string, ApiRoute> {
  return {
    'POST /v1/billing/meter_events': ({ input }) => {
      const given = readInput(NewEvent, input)
      return meters.record({
        eventName: given.event_name,
        payload: given.payload,
        identifier: given.identifier ?? null,
        timestamp: given.timestamp ?? null,
      })
    },
    'GET /v1/billing/meters/:id/event_summaries': (call) => {
      const meter = found(call.account.meters, 'meter', pathId(call))
      const given = readInput(Summaries, call.input)
      if (given.start_time % 60 !== 0 || given.end_time % 60 !== 0)
        throw invalid('start_time and end_time have to be aligned with minute boundaries.')
      const windows = windowsOf(given)
      const summaries = windows.map(({ start, end }): Stripe.Billing.MeterEventSummary => ({
        id: `mtrusg_${meter.id}_${start}_${end}`,
        object: 'billing.meter_event_summary',
        aggregated_value: meters.total(meter.event_name, given.customer, start, end),
        end_time: end,
        livemode: false,
        meter: meter.id,
        start_time: start,
      }))
      const kept =
        given.value_grouping_window === undefined
          ? summaries
          : summaries.filter(({ aggregated_value }) => aggregated_value > 0)
      const from = kept.findIndex(({ id }) => id === given.starting_after) + 1
      const list = listOf(
        kept.slice(from, from + given.limit),
        `/v1/billing/meters/${meter.id}/event_summaries`,
      )
      return { ...list, has_more: from + given.limit < kept.length }
    },
  }
}

const WINDOWS_MAX = 10_000

function windowsOf(given: z.output<typeof Summaries>): { start: number; end: number }[] {
  const { start_time: start, end_time: end, value_grouping_window: grouping } = given
  if (grouping === undefined) return [{ start, end }]
  const length = grouping === 'day' ? DAY : HOUR
  if (start % length !== 0 || end % length !== 0)
    throw invalid(`start_time and end_time have to be aligned with ${grouping} boundaries in UTC.`)
  const count = Math.min(WINDOWS_MAX, Math.max(0, (end - start) / length))
  // Newest first, like every list.
  return Array.from({ length: count }, (_, index) => ({
    start: end - (index + 1) * length,
    end: end - index * length,
  }))
}
