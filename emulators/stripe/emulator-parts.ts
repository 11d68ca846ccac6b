import type { Account } from './account.ts'
import type { Api } from './api.ts'
import type { Meters } from './meters.ts'
import type { Webhooks } from './webhooks.ts'

/** Controls by name: JSON fields in, a JSON value out. */
export type Controls = Record<string, (body: Record<string, unknown>) => unknown>

export interface EmulatorParts {
  account: Account
  meters: Meters
  webhooks: Webhooks
  api: Api
  advanceTo: (time: number) => void
}
