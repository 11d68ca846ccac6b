import { z } from 'zod'
import { CHARGED_ACTIONS } from '../kernel/actions.ts'
import { count, EXAMPLE_ID, textOrNull } from '../kernel/schemas.ts'

/** The most lines in one response; totals cover all of them. */
export const LINES_MAX = 10_000

const EXAMPLE_DAY = '2026-03-02'

const shownDay = (description: string) => z.iso.date().meta({ description, example: EXAMPLE_DAY })

export const UsageLine = z
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
      'Name of the key, even if revoked, or name or email address of the person; null: none.',
      'support bot',
    ),
    surface: z.enum(CHARGED_ACTIONS).describe('Kind of answer.'),
    isMcp: z.boolean().meta({ description: 'Whether a tool of `/mcp` made the requests.', example: false }),
    requests: count('Charged answers.', 48),
    credits: count('Credits charged.', 48),
  })
  .meta({ id: 'UsageLine', description: "A caller's charges on a day for one kind of answer." })
export type UsageLine = z.output<typeof UsageLine>

export const Usage = z
  .object({
    from: shownDay('First day of the range.'),
    to: shownDay('Last day of the range.'),
    days: z
      .array(UsageLine)
      .describe(
        `Latest day first, then by \`surface\` and caller; at most ${LINES_MAX.toLocaleString('en')} lines.`,
      ),
    totals: z
      .object({
        requests: count('Answers that were charged.', 48),
        credits: count('Credits charged, without those of requests in flight.', 48),
      })
      .describe('Totals of the whole range, including lines omitted from `days`.'),
    isCapped: z.boolean().meta({
      description: 'Whether `days` omits the earliest lines.',
      example: false,
    }),
  })
  .meta({ id: 'Usage', description: "A workspace's charges by day." })
export type Usage = z.output<typeof Usage>
