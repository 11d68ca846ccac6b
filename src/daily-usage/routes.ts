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
    apiKeyId: z.uuid().nullable().meta({
      description: 'The key that made the requests; null for a person.',
      example: EXAMPLE_ID.apiKey,
    }),
    userId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who made the requests; null for a key.', example: null }),
    name: textOrNull(
      'Name of the key, even a revoked one, or of the person (or the address); null when there is none.',
      'support bot',
    ),
    surface: z.enum(CHARGED_ACTIONS).describe('Kind of answer.'),
    isMcp: z.boolean().meta({ description: 'Whether a tool of `/mcp` made the requests.', example: false }),
    requests: count('Charged answers.', 48),
    credits: count('Credits charged.', 48),
  })
  .meta({ id: 'UsageLine', description: "A caller's charges on a day for one kind of answer." })

const Usage = z
  .object({
    from: shownDay('First day of the range.'),
    to: shownDay('The last.'),
    days: z
      .array(UsageLine)
      .describe(
        `Latest day first, then by \`surface\` and caller; at most ${LINES_MAX.toLocaleString('en')}.`,
      ),
    totals: z
      .object({
        requests: count('Answers that were charged.', 48),
        credits: count('Credits charged, without those of requests in flight.', 48),
      })
      .describe('Of the whole range, including lines omitted from `days`.'),
    isCapped: z.boolean().meta({
      description: 'Whether `days` omits the earliest lines.',
      example: false,
    }),
  })
  .meta({ id: 'Usage', description: "A workspace's charges by day." })

export const dailyUsageRoutes = [
  defineRoute<DailyUsageServices>()({
    operationId: 'consoleGetUsage',
    method: 'GET',
    path: '/v1/console/usage',
    summary: 'Show charges by day, caller and kind of answer',
    description:
      'With neither `from` nor `to` exactly the current period, whose `totals.credits` are its `creditsUsed` less requests in ' +
      `flight. At most ${DAYS_MAX} days; the last ${KEPT_DAYS} are kept. The questions are not kept.`,
    tag: 'Billing',
    access: { surface: 'console', role: 'admin', action: 'admin' },
    credits: 0,
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
