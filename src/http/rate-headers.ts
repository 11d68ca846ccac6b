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

export function rateHeaders(state: RateState): Record<keyof typeof RATE_HEADERS, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': state.resetAt.toISOString(),
  }
}
