import { MemoryConnectionError, type RetryPolicy } from '../client/src/index.ts'
import { connectionMessage, isRateLimit } from './api-client.ts'

/** Called before each wait with its reason and length in milliseconds. */
export type OnWait = (reason: string, milliseconds: number) => void

/** The retry policy of a command with work to finish, for a service at `url`. */
export function retryPolicy(url: string, onWait: OnWait): Partial<RetryPolicy> {
  return {
    attempts: 6,
    rateWaits: 60,
    maxWaitMs: 600_000,
    onWait: ({ reason, milliseconds }) => {
      const words = reason instanceof MemoryConnectionError ? connectionMessage(url, reason) : reason.message
      onWait(isRateLimit(reason) ? 'rate limit' : words, milliseconds)
    },
  }
}

/** The note about a wait, to the nearest second. */
export function waitNote(reason: string, milliseconds: number): string {
  return `Waiting ${Math.max(1, Math.round(milliseconds / 1000))} s: ${reason}`
}
