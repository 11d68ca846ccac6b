import { z } from 'zod'
import { found, type Account } from './account.ts'
import { DAY, HOUR } from './clock.ts'
import { customerControl } from './control-customers.ts'
import type { Controlled, Controls } from './controlled.ts'
import { viewControl } from './control-views.ts'
import { nextDueAt } from './due.ts'
import { invalid } from './stripe-error.ts'
import { NO_TROUBLE } from './webhooks.ts'

/** The controls at `POST /_emulator/<name>`. */
export function controlRoutes(controlled: Controlled): Controls {
  return {
    ...clockControl(controlled),
    ...viewControl(controlled),
    ...customerControl(controlled.account),
    ...accountControl(controlled),
    ...webhookControl(controlled),
  }
}

const Advance = z.strictObject({
  days: z.number().min(0).default(0),
  hours: z.number().min(0).default(0),
  seconds: z.number().min(0).default(0),
  /** An ISO time or seconds since the epoch. */
  to: z.union([z.number().int(), z.iso.datetime()]).optional(),
  /** Moves to the next automatic event. */
  next: z.boolean().default(false),
})
const ADVANCE_MAX_SECONDS = 10 * 366 * DAY

function clockControl({ account, advanceTo }: Controlled): Controls {
  const { clock } = account
  const view = () => ({
    now: clock.now(),
    iso: new Date(clock.now() * 1000).toISOString(),
    nextDueAt: nextDueAt(account),
  })
  return {
    clock: view,
    advance: (body) => {
      const wanted = targetOf(account, Advance.parse(body))
      if (wanted > clock.now() + ADVANCE_MAX_SECONDS) throw invalid('at most ten years at once')
      advanceTo(wanted)
      return view()
    },
  }
}

function targetOf(account: Account, wanted: z.output<typeof Advance>): number {
  const now = account.clock.now()
  if (wanted.next) return Math.max(now, nextDueAt(account) ?? now)
  if (typeof wanted.to === 'number') return wanted.to
  if (wanted.to !== undefined) return Math.floor(Date.parse(wanted.to) / 1000)
  return Math.floor(now + wanted.days * DAY + wanted.hours * HOUR + wanted.seconds)
}

const PriceKey = z.strictObject({ lookupKey: z.string() })
const AfterRetries = z.strictObject({ afterRetries: z.enum(['unpaid', 'cancel', 'past_due']) })
const Work = z.strictObject({ ms: z.number().int().min(0).max(60_000) })

function accountControl({ account, api }: Controlled): Controls {
  return {
    'remove-price': (body) => {
      const { lookupKey } = PriceKey.parse(body)
      const price = [...account.prices.values()].find(({ lookup_key }) => lookup_key === lookupKey)
      if (price === undefined) throw invalid(`no price has the lookup key ${lookupKey}`)
      price.active = false
      price.lookup_key = null
    },
    'after-retries': (body) => {
      account.settings.afterRetries = AfterRetries.parse(body).afterRetries
    },
    work: (body) => {
      api.workMs = Work.parse(body).ms
    },
  }
}

const Trouble = z.strictObject({
  delayMs: z.number().int().min(0).optional(),
  copies: z.number().int().min(1).max(10).optional(),
  lose: z.number().int().min(0).optional(),
  shuffle: z.boolean().optional(),
  hold: z.boolean().optional(),
})
const Order = z.strictObject({ order: z.enum(['sent', 'reversed', 'shuffled']).default('sent') })
const EventId = z.strictObject({ event: z.string() })

function webhookControl({ account, webhooks }: Controlled): Controls {
  return {
    webhooks: (body) => {
      const change = Object.entries(Trouble.parse(body)).filter(([, value]) => value !== undefined)
      webhooks.trouble = { ...webhooks.trouble, ...Object.fromEntries(change) }
      return webhooks.trouble
    },
    'clear-webhooks': () => {
      webhooks.trouble = { ...NO_TROUBLE }
      return { released: webhooks.release('sent') }
    },
    'release-webhooks': (body) => ({ released: webhooks.release(Order.parse(body).order) }),
    resend: (body) => webhooks.send(found(account.events, 'event', EventId.parse(body).event)),
    deliveries: () => webhooks.attempts(),
  }
}
