import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { count, EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import { type RateLimit, WINDOWS_MAX } from './rate-limit.ts'

export interface RateLimitServices {
  rateLimit: Pick<RateLimit, 'windows' | 'limitPerMinute'>
  apiKeys: { list(organizationId: string): Promise<readonly { id: string }[]> }
}

const RateWindow = z
  .object({
    apiKeyId: shownId('The key.', EXAMPLE_ID.apiKey),
    action: text('The action, as in `allowedActions`.', 'search'),
    requests: count('Requests in the last 60 seconds, except those that were rate limited.', 12),
    remaining: count('Requests left now.', 48),
    resetAt: moment(
      'When the next request is allowed; if requests are left, when the oldest leaves the window.',
    ),
  })
  .meta({ id: 'RateWindow', description: "A key's requests for an action in the last minute." })

export const rateLimitRoutes = [
  defineRoute<RateLimitServices>()({
    operationId: 'consoleGetRateLimits',
    method: 'GET',
    path: '/v1/console/rate-limits',
    summary: "Show each key's requests in the last minute and the limit",
    description:
      'Covers active keys and requests to all instances, exact as of now. Actions without requests are omitted. ' +
      `At most ${WINDOWS_MAX.toLocaleString('en')} windows.`,
    tag: 'API keys (console)',
    access: { surface: 'console', role: 'admin', action: 'admin' },
    audit: 'none',
    responses: {
      200: z.object({
        requestsPerMinute: count('Requests that each key can send per action in any 60 seconds.', 60),
        windows: z.array(RateWindow).describe('The windows, fullest first.'),
      }),
    },
    handle: async ({ caller: { organizationId } }, { rateLimit, apiKeys }) => {
      const keys = await apiKeys.list(organizationId)
      const windows = await rateLimit.windows(
        organizationId,
        keys.map(({ id }) => id),
      )
      return reply(200, {
        requestsPerMinute: rateLimit.limitPerMinute,
        windows: windows.map(({ subjectId, action, used, state }) => ({
          apiKeyId: subjectId,
          action,
          requests: used,
          remaining: state.remaining,
          resetAt: state.resetAt.toISOString(),
        })),
      })
    },
  }),
]
