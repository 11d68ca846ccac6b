import { afterEach, expect, it } from 'vitest'
import { takeProviders } from '../../api/provider-list.ts'
import { DEFAULT_PROVIDERS } from '../../api/providers.ts'
import { isOutOfDate } from './attention.ts'

const HOUR_MS = 3_600_000
const now = Date.UTC(2026, 10, 27)
const syncedBefore = (hours: number) => ({
  provider: 'slack' as const,
  status: 'active' as const,
  lastSyncedAt: new Date(now - hours * HOUR_MS).toISOString(),
})

afterEach(() => takeProviders(DEFAULT_PROVIDERS))

it('calls a source out of date after a day without a sync, and after two if it is polled once a day', () => {
  expect([23, 25].map((hours) => isOutOfDate(syncedBefore(hours), now))).toEqual([false, true])
  takeProviders([Object.assign(structuredClone(DEFAULT_PROVIDERS[0]), { pollMinutes: 24 * 60 })])
  expect([25, 47, 49].map((hours) => isOutOfDate(syncedBefore(hours), now))).toEqual([false, false, true])
})
