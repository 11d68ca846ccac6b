import { z } from 'zod'
import { customerControls } from './customer-controls.ts'
import type { EmulatorParts, Controls } from './emulator-parts.ts'
import { invalid } from './stripe-error.ts'
import { NO_TROUBLE } from './webhooks.ts'

/** The controls at `POST /_emulator/<name>`. */
export function controlRoutes(parts: EmulatorParts): Controls {
  return {
    ...customerControls(parts.account),
    ...accountControls(parts),
    ...webhookControls(parts),
  }
}

const PriceKey = z.strictObject({ lookupKey: z.string() })
const Work = z.strictObject({ ms: z.number().int().min(0).max(60_000) })

function accountControls({ account, api }: EmulatorParts): Controls {
  return {
    'remove-price': (body) => {
      const { lookupKey } = PriceKey.parse(body)
      const price = [...account.prices.values()].find(({ lookup_key }) => lookup_key === lookupKey)
      if (price === undefined) throw invalid(`no price has the lookup key ${lookupKey}`)
      price.active = false
      price.lookup_key = null
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

function webhookControls({ webhooks }: EmulatorParts): Controls {
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
  }
}
