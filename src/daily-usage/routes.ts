import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import { CHARGED_ACTIONS } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { count, EXAMPLE_ID, textOrNull } from '../kernel/schemas.ts'
import { chooseRange, DAYS_MAX } from './choose-range.ts'
import { KEPT_DAYS } from './prune-days.ts'
import { LINES_MAX, readDays } from './read-days.ts'

export interface DailyUsageServices {
  db: Db
  clock: Clock
  billing: {
    subscriptions: { read(organizationId: string): Promise<{ periodStart: string } | undefined> }
  }
}

const EXAMPLE_DAY = '2026-03-02'

/** PostgreSQL refuses years outside its range, and the service did not exist before 2000. */
const givenDay = z.iso
  .date()
  .refine((day) => day >= '2000-01-01' && day <= '9999-12-31', 'must be in the years 2000 to 9999')

const shownDay = (description: string) => z.iso.date().meta({ description, example: EXAMPLE_DAY })

const UsageLine = z
  .object({
    date: shownDay('The day, in UTC.'),
    apiKeyId: z
      .uuid()
      .nullable()
      .meta({ description: 'The key that asked; null where a person did.', example: EXAMPLE_ID.apiKey }),
    userId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who asked; null where a key did.', example: null }),
    name: textOrNull(
      'Of the key, also of a revoked one, or of the person (else the address); null where there is none.',
      'support bot',
    ),
    surface: z.enum(CHARGED_ACTIONS).describe('What was asked for.'),
    isMcp: z
      .boolean()
      .meta({ description: 'Whether a tool of `/mcp` asked for it, and not a request.', example: false }),
    requests: count('How many were answered and charged.', 48),
    credits: count('What was charged for them.', 48),
  })
  .meta({ id: 'UsageLine', description: 'What a caller was charged on a day for one kind of answer.' })

const Usage = z
  .object({
    from: shownDay('The first day that was looked at.'),
    to: shownDay('The last.'),
    days: z
      .array(UsageLine)
      .describe(
        `The latest day first, then by \`surface\` and caller; at most ${LINES_MAX.toLocaleString('en')}.`,
      ),
    totals: z
      .object({
        requests: count('Answers that were charged.', 48),
        credits: count('Credits charged for them; those of requests in flight are not in it.', 48),
      })
      .describe('Of all these days, those included that are left out of `days`.'),
    isCapped: z.boolean().meta({
      description: 'Whether there is more than `days` shows; the earliest are left out.',
      example: false,
    }),
  })
  .meta({ id: 'Usage', description: 'What a workspace was charged, by day.' })

export const dailyUsageRoutes = [
  defineRoute<DailyUsageServices>()({
    operationId: 'consoleGetUsage',
    method: 'GET',
    path: '/v1/console/usage',
    summary: 'Show what was charged by day, caller and kind of answer',
    description:
      'With neither `from` nor `to` exactly the current period, whose `totals.credits` are its `creditsUsed` less requests in ' +
      `flight. At most ${DAYS_MAX} days; the last ${KEPT_DAYS} are kept. Nothing of what was asked is.`,
    tag: 'Billing',
    access: { surface: 'console', role: 'admin', action: 'admin' },
    credits: 0,
    audit: 'none',
    query: z.strictObject({
      from: givenDay
        .optional()
        .describe('The first day, in UTC; left out: the current period, or the 30 days up to `to`.'),
      to: givenDay.optional().describe('The last day, included; today when left out.'),
    }),
    responses: { 200: Usage },
    handle: async ({ principal: { organizationId }, query }, { db, clock, billing }) => {
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
