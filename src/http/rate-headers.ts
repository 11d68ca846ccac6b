import type { RateState } from './gates.ts'

/** As the OpenAPI document describes them. */
export const RATE_HEADERS = {
  'X-RateLimit-Limit': {
    schema: { type: 'integer' as const },
    description: 'Requests per minute for this key and action.',
  },
  'X-RateLimit-Remaining': {
    schema: { type: 'integer' as const },
    description: 'Requests left in the rolling minute.',
  },
  'X-RateLimit-Reset': {
    schema: { type: 'string' as const, format: 'date-time' },
    description: 'When the window resets.',
  },
}

export function rateHeaders({
  limit,
  remaining,
  resetAt,
}: RateState): Record<keyof typeof RATE_HEADERS, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': resetAt.toISOString(),
  }
}
