import { createHmac } from 'node:crypto'
import type { StoredEvent } from './account.ts'

const TIMEOUT_MS = 10_000
const ATTEMPTS_KEPT = 1_000

export interface WebhookTarget {
  /** No events are sent when absent. */
  url: string | undefined
  secret: string
  /** Seconds on the receiver's clock, which checks a signature's age. */
  receiversNow: () => number
}

export interface WebhookAttempt {
  event: string
  type: string
  attempt: number
  /** The answer's status; null: no answer. */
  status: number | null
}

export interface WebhookSender {
  /** Posts a signed event; returns whether it was accepted. */
  attempt(event: StoredEvent, number: number): Promise<boolean>
  attempts(): WebhookAttempt[]
}

/** Posts events and records the last thousand attempts. */
export function createWebhookSender(target: WebhookTarget, closing: AbortSignal): WebhookSender {
  const attempts: WebhookAttempt[] = []

  const post = async (url: string, event: StoredEvent): Promise<number | null> => {
    const body = JSON.stringify(event)
    const time = target.receiversNow()
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${time},v1=${signatureOf(target.secret, time, body)}`,
    }
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)])
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      await response.arrayBuffer()
      return response.status
    } catch {
      // No answer: the attempt is recorded without a status, and retried.
      return null
    }
  }

  return {
    attempt: async (event, number) => {
      if (target.url === undefined) return true
      const status = await post(target.url, event)
      attempts.push({ event: event.id, type: event.type, attempt: number, status })
      if (attempts.length > ATTEMPTS_KEPT) attempts.shift()
      const isTaken = status !== null && status >= 200 && status < 300
      if (isTaken) event.pending_webhooks = 0
      return isTaken
    },
    attempts: () => [...attempts],
  }
}

function signatureOf(secret: string, time: number, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
}
