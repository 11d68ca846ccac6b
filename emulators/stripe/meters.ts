import type Stripe from 'stripe'
import type { Account } from './account.ts'
import { DAY } from './clock.ts'
import { invalid } from './stripe-error.ts'

const PAST_DAYS_MAX = 35
const AHEAD_SECONDS_MAX = 300
const IDENTIFIER_LENGTH_MAX = 100

/** The uses reported to a meter, each counted once. */
export interface Meters {
  /** Records a use. Refuses an identifier repeated within a day of the caller's time. @throws StripeError 400 */
  record(given: NewUse): Stripe.Billing.MeterEvent
  /** All units by event name and customer, and the number of accepted and refused calls. */
  totals(): { units: Record<string, Record<string, number>>; taken: number; repeated: number }
}

export interface NewUse {
  eventName: string
  payload: Record<string, string>
  identifier: string | null
  /** Seconds, on the caller's clock. */
  timestamp: number | null
}

export function createMeters(account: Account): Meters {
  const seen = new Map<string, number>()
  let repeated = 0

  return {
    record: (given) => {
      const meter = [...account.meters.values()].find(
        ({ event_name, status }) => event_name === given.eventName && status === 'active',
      )
      if (!meter) {
        const message = `No active meter found for event name '${given.eventName}'.`
        throw invalid(message, { code: 'no_meter', param: 'event_name' })
      }
      const timestamp = checkTimestamp(account, given.timestamp)
      const customer = checkCustomer(account, given.payload[meter.customer_mapping.event_payload_key])
      const value = checkValue(given.payload[meter.value_settings.event_payload_key])
      const identifier = given.identifier ?? account.newId('mtre')
      if (identifier.length > IDENTIFIER_LENGTH_MAX)
        throw invalid('Invalid string: must be at most 100 characters', { param: 'identifier' })
      const callersNow = account.clock.callersNow()
      if (callersNow - (seen.get(identifier) ?? -Infinity) < DAY) {
        repeated += 1
        const message = `An event already exists with identifier ${identifier}.`
        throw invalid(message, { code: 'duplicate_meter_event', param: 'identifier' })
      }
      seen.set(identifier, callersNow)
      account.meterUses.push({ identifier, eventName: given.eventName, customer, value, timestamp })
      return {
        object: 'billing.meter_event',
        created: account.clock.now(),
        event_name: given.eventName,
        identifier,
        livemode: false,
        payload: given.payload,
        timestamp,
      }
    },
    totals: () => {
      const units: Record<string, Record<string, number>> = {}
      for (const use of account.meterUses) {
        const byCustomer = (units[use.eventName] ??= {})
        byCustomer[use.customer] = (byCustomer[use.customer] ?? 0) + use.value
      }
      return { units, taken: account.meterUses.length, repeated }
    },
  }
}

/** A customer's units with `from` <= time < `until`. */
export function usedUnits(
  account: Account,
  given: { eventName: string; customer: string; from: number; until: number },
): number {
  let units = 0
  for (const use of account.meterUses) {
    const isMeant = use.eventName === given.eventName && use.customer === given.customer
    if (isMeant && use.timestamp >= given.from && use.timestamp < given.until) units += use.value
  }
  return units
}

function checkTimestamp(account: Account, given: number | null): number {
  const now = account.clock.now()
  if (given === null) return now
  const timestamp = account.clock.fromCaller(given)
  if (timestamp < now - PAST_DAYS_MAX * DAY) {
    const message = 'The timestamp must be within the past 35 calendar days.'
    throw invalid(message, { code: 'timestamp_too_far_in_past', param: 'timestamp' })
  }
  if (timestamp > now + AHEAD_SECONDS_MAX) {
    const message = 'The timestamp must not be more than 5 minutes in the future.'
    throw invalid(message, { code: 'timestamp_in_future', param: 'timestamp' })
  }
  return timestamp
}

function checkCustomer(account: Account, given: string | undefined): string {
  if (given !== undefined && account.customers.has(given)) return given
  const message = `No such customer: '${given ?? ''}'`
  throw invalid(message, { code: 'resource_missing', param: 'payload[stripe_customer_id]' })
}

function checkValue(given: string | undefined): number {
  const value = Number(given ?? Number.NaN)
  if (given !== undefined && given !== '' && Number.isFinite(value)) return value
  const message = 'The payload has to name its value as a number.'
  throw invalid(message, { code: 'meter_event_invalid_value', param: 'payload[value]' })
}
