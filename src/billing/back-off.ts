import { ProcessorFailure } from './payment-processor.ts'

const FIRST_MS = 1_000
const WAIT_MS_MAX = 300_000
const DOUBLINGS_MAX = 9

/** The wait after another failed attempt: at least as long as the payment processor asks for. */
export function backOffMs(attemptsBefore: number, error: unknown): number {
  const own = Math.min(WAIT_MS_MAX, FIRST_MS * 2 ** Math.min(attemptsBefore, DOUBLINGS_MAX))
  return Math.max(own, error instanceof ProcessorFailure ? (error.retryAfterMs ?? 0) : 0)
}
