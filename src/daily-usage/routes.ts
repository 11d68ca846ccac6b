import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { chooseRange, DAYS_MAX } from './choose-range.ts'
import { readDays } from './read-days.ts'
import { Usage } from './schemas.ts'
import { USAGE_KEPT_DAYS } from '../kernel/retention.ts'

export interface DailyUsageServices {
  db: Db
  clock: Clock
  billing: {
    subscriptions: { read(organizationId: string): Promise<{ periodStart: string } | undefined> }
  }
}

/** PostgreSQL refuses years outside its range, and the service did not exist before 2000. */
const givenDay = z.iso
  .date()
  .refine((day) => day >= '2000-01-01' && day <= '9999-12-31', 'must be in the years 2000 to 9999')

export const dailyUsageRoutes = [
  defineRoute<DailyUsageServices>()({
    operationId: 'consoleGetUsage',
    method: 'GET',
    path: '/v1/console/usage',
    summary: 'Show charges by day, caller and kind of answer',
    description:
      'Without `from` and `to`, covers exactly the current period; `totals.credits` is then `creditsUsed` minus requests in ' +
      `flight. At most ${DAYS_MAX} days; the last ${USAGE_KEPT_DAYS} days are stored. Questions are not stored.`,
    tag: 'Billing',
    access: { surface: 'console', role: 'admin', action: 'admin' },
    audit: 'none',
    query: z.strictObject({
      from: givenDay
        .optional()
        .describe('First day, in UTC. Default: the current period, or the 30 days up to `to`.'),
      to: givenDay.optional().describe('Last day, inclusive. Default: today.'),
    }),
    responses: { 200: Usage },
    handle: async ({ caller: { organizationId }, query }, { db, clock, billing }) => {
      const subscription = await billing.subscriptions.read(organizationId)
      const periodStart = subscription ? new Date(subscription.periodStart) : null
      const { from, to, period } = chooseRange(query, periodStart, clock.now())
      return reply(200, {
        from,
        to,
        ...(await readDays(db, organizationId, { from, to, period })),
      })
    },
  }),
]
