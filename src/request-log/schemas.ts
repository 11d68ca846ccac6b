import { z } from 'zod'
import { count, EXAMPLE_ID, moment, shownId, text, textOrNull } from '../kernel/schemas.ts'

export const LoggedRequest = z
  .object({
    requestId: shownId('The request ID, as in `X-Request-Id`.', EXAMPLE_ID.request),
    method: text('HTTP method.', 'POST'),
    path: text('Path with parameter names in place of their values.', '/v1/search'),
    status: z.int().meta({
      description: 'HTTP status of the response; 499: the client disconnected first.',
      example: 200,
    }),
    durationMs: count('Milliseconds until the response was sent.', 12),
    credits: count('Credits charged.', 1),
    isMcp: z.boolean().meta({ description: 'Whether a tool of `/mcp` made the request.', example: false }),
    apiKeyId: shownId('The key that made the request.', EXAMPLE_ID.apiKey),
    keyName: textOrNull('The name of the key, even of a revoked one.', 'support bot'),
    answeredAt: moment('When the request was answered.'),
  })
  .meta({ id: 'LoggedRequest', description: 'A request made with an API key, without its contents.' })
export type LoggedRequest = z.output<typeof LoggedRequest>
