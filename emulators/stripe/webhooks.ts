import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEvent } from './account.ts'

const TIMEOUT_MS = 10_000
const ATTEMPTS_KEPT = 1_000

/** What goes wrong with events on their way, on demand. */
export interface WebhookTrouble {
  /** How long each waits before it is sent, milliseconds. */
  delayMs: number
  /** How often each is sent. */
  copies: number
  /** How many of the next ones are never sent. */
  lose: number
  /** Each waits a part of `delayMs` of its own, so that they overtake one another. */
  shuffle: boolean
  /** None is sent until they are released. */
  hold: boolean
}

/** One attempt to bring an event. */
export interface WebhookAttempt {
  event: string
  type: string
  attempt: number
  /** The status it was answered with; null: no answer. */
  status: number | null
}

export interface Webhooks {
  trouble: WebhookTrouble
  send(event: StoredEvent): void
  /** Sends what was held, in an order of choice; answers how many. */
  release(order: 'sent' | 'reversed' | 'shuffled'): number
  attempts(): WebhookAttempt[]
  /** Resolves when all that is not held was taken or given up. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface WebhookOptions {
  /** Nowhere when left out. */
  url: string | undefined
  secret: string
  /** Waits between attempts at an event that was not answered with 2xx, milliseconds. */
  retryMs: readonly number[]
  /** Seconds on the receiver's clock, which checks how old a signature is. */
  receiversNow: () => number
  /** A number in [0, 1). */
  random: () => number
}

/** No trouble at all. */
export const NO_TROUBLE: WebhookTrouble = { delayMs: 0, copies: 1, lose: 0, shuffle: false, hold: false }

/** Sends events to the service, signed. Without trouble each follows the first attempt at the one before it. */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const closing = new AbortController()
  const under = new Set<Promise<void>>()
  const attempts: WebhookAttempt[] = []
  let held: StoredEvent[] = []
  let last: Promise<void> = Promise.resolve()

  const track = (work: Promise<void>): void => {
    under.add(work)
    void work.finally(() => under.delete(work))
  }

  /** Whether the event was taken. */
  const attempt = async (url: string, event: StoredEvent, number: number): Promise<boolean> => {
    const body = JSON.stringify(event)
    const time = options.receiversNow()
    let status: number | null = null
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': `t=${time},v1=${signatureOf(options.secret, time, body)}`,
        },
        body,
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      status = response.status
      await response.arrayBuffer()
    } catch {
      // No answer is an attempt without a status, and is retried like a refusal.
    }
    attempts.push({ event: event.id, type: event.type, attempt: number, status })
    if (attempts.length > ATTEMPTS_KEPT) attempts.shift()
    const isTaken = status !== null && status >= 200 && status < 300
    if (isTaken) event.pending_webhooks = 0
    return isTaken
  }

  const retry = async (url: string, event: StoredEvent): Promise<void> => {
    for (const [index, wait] of options.retryMs.entries()) {
      if (!(await pause(wait))) return
      if (await attempt(url, event, index + 2)) return
    }
  }

  /** Waits; false when everything ends meanwhile. */
  const pause = async (ms: number): Promise<boolean> => {
    if (ms > 0) await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined)
    return !closing.signal.aborted
  }

  const first = async (url: string, event: StoredEvent): Promise<void> => {
    if (!(await attempt(url, event, 1))) track(retry(url, event))
  }

  const deliver = (event: StoredEvent): void => {
    const { url } = options
    if (url === undefined) return
    const { delayMs, copies, shuffle } = webhooks.trouble
    for (let copy = 0; copy < copies; copy += 1) {
      if (delayMs === 0) {
        last = last.then(() => first(url, event))
        track(last)
      } else {
        const wait = shuffle ? Math.floor(delayMs * options.random()) : delayMs
        track(pause(wait).then((goesOn) => (goesOn ? first(url, event) : undefined)))
      }
    }
  }

  const webhooks: Webhooks = {
    trouble: { ...NO_TROUBLE },
    send: (event) => {
      if (webhooks.trouble.lose > 0) webhooks.trouble.lose -= 1
      else if (webhooks.trouble.hold) held.push(event)
      else deliver(event)
    },
    release: (order) => {
      const events = ordered(held, order, options.random)
      held = []
      for (const event of events) deliver(event)
      return events.length
    },
    attempts: () => [...attempts],
    settled: async () => {
      while (under.size > 0) await Promise.all(under)
    },
    close: async () => {
      closing.abort()
      await webhooks.settled()
    },
  }
  return webhooks
}

function ordered(
  events: readonly StoredEvent[],
  order: 'sent' | 'reversed' | 'shuffled',
  random: () => number,
): StoredEvent[] {
  switch (order) {
    case 'sent':
      return [...events]
    case 'reversed':
      return events.toReversed()
    case 'shuffled':
      return events
        .map((event) => ({ event, at: random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ event }) => event)
  }
}

function signatureOf(secret: string, time: number, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
}
