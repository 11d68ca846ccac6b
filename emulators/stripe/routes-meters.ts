import { z } from 'zod'
import type { ApiRoute } from './api.ts'
import { expand, readInput, text, whole } from './inputs.ts'
import type { Meters } from './meters.ts'

const NewEvent = z.strictObject({
  event_name: text,
  payload: z.record(z.string(), z.string()),
  identifier: text.optional(),
  timestamp: whole.optional(),
  expand,
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
  }
}
