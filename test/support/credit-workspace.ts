import { randomUUID } from 'node:crypto'
import { createSubscriptions, type NewSubscription, putSubscription } from '../../src/billing/index.ts'
import type { OpenDatabase } from '../../src/database/database.ts'
import { createCredits } from '../../src/credits/index.ts'
import { aSearch, chargedOf, recordedOf, reservationsOf } from './credit-use.ts'
import type { TestDatabase } from './database.ts'

/** An organization and two instances of the service that share a test clock. */
export async function creditWorkspace(
  { database, other, start }: { database: TestDatabase; other: OpenDatabase; start: Date },
  subscription: Partial<NewSubscription> = {},
) {
  const organizationId = randomUUID()
  const time = { now: start }
  const clock = { now: () => time.now }
  await database.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('organizations')
      .values({ id: organizationId, name: 'w', created_at: start })
      .execute()
    const full = { status: 'active', tier: 'builder', creditsIncluded: null, ...subscription } as const
    await putSubscription(tx, organizationId, full, start)
  })
  const [first, second] = [database, other].map(({ db }) => createCredits({ db, clock }))
  if (!first || !second) throw new Error('there are two instances')
  const subscriptions = createSubscriptions({ db: database.db, clock })
  return {
    organizationId,
    first,
    second,
    at: (moment: string | number) => {
      time.now = new Date(moment)
    },
    reserve: () => first.reserve(aSearch(organizationId), randomUUID()),
    put: (changed: NewSubscription) => subscriptions.put(organizationId, changed),
    read: async () => {
      const view = await subscriptions.read(organizationId)
      if (!view) throw new Error('the workspace has a subscription')
      return view
    },
    used: async () => (await subscriptions.read(organizationId))?.creditsUsed,
    /** The number of charges by day in the period that began then. */
    charged: (periodStart: string) => chargedOf(database.db, organizationId, periodStart),
    /** The number of retrievals in the audit trail. */
    recorded: () => recordedOf(database.db, organizationId),
    reservations: () => reservationsOf(database.db, organizationId),
  }
}
