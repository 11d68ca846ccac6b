import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEvent } from './account.ts'
import { createWebhookSender, type WebhookAttempt, type WebhookTarget } from './webhook-sender.ts'

/** Delivery faults on demand. */
export interface WebhookTrouble {
  /** The delay of each event in milliseconds. */
  delayMs: number
  copies: number
  /** How many of the next events are dropped. */
  lose: number
  /** Each waits a random part of `delayMs`, so that they overtake one another. */
  shuffle: boolean
  /** Holds all events until they are released. */
  hold: boolean
}

export interface Webhooks {
  trouble: WebhookTrouble
  send(event: StoredEvent): void
  /** Sends held events in the given order; returns their number. */
  release(order: ReleaseOrder): number
  attempts(): WebhookAttempt[]
  /** Resolves when all events not held were accepted or given up. */
  settled(): Promise<void>
  close(): Promise<void>
}

type ReleaseOrder = 'sent' | 'reversed' | 'shuffled'

export interface WebhookOptions extends WebhookTarget {
  /** Waits before each resend of an event that was not answered with 2xx, in milliseconds. */
  retryMs: readonly number[]
  /** A number in [0, 1). */
  random: () => number
}

export const NO_TROUBLE: WebhookTrouble = { delayMs: 0, copies: 1, lose: 0, shuffle: false, hold: false }

/** Sends events to the service. Without faults each follows the first attempt of the one before it. */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const closing = new AbortController()
  const sender = createWebhookSender(options, closing.signal)
  const under = new Set<Promise<void>>()
  let held: StoredEvent[] = []
  let last: Promise<void> = Promise.resolve()

  const track = (work: Promise<void>): void => {
    under.add(work)
    void work.finally(() => under.delete(work))
  }

  /** Waits; false when everything stops meanwhile. */
  const pause = async (ms: number): Promise<boolean> => {
    if (ms > 0) await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined)
    return !closing.signal.aborted
  }

  const retry = async (event: StoredEvent): Promise<void> => {
    for (const [index, wait] of options.retryMs.entries()) {
      if (!(await pause(wait))) return
      if (await sender.attempt(event, index + 2)) return
    }
  }

  const first = async (event: StoredEvent): Promise<void> => {
    if (!(await sender.attempt(event, 1))) track(retry(event))
  }

  const deliver = (event: StoredEvent): void => {
    const { delayMs, copies, shuffle } = webhooks.trouble
    for (let copy = 0; copy < copies; copy += 1) {
      if (delayMs === 0) {
        last = last.then(() => first(event))
        track(last)
      } else {
        const wait = shuffle ? Math.floor(delayMs * options.random()) : delayMs
        track(pause(wait).then((goesOn) => (goesOn ? first(event) : undefined)))
      }
    }
  }

  const webhooks: Webhooks = {
    trouble: { ...NO_TROUBLE },
    send: (event) => {
      if (options.url === undefined) return
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
    attempts: sender.attempts,
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
  order: ReleaseOrder,
  random: () => number,
): readonly StoredEvent[] {
  switch (order) {
    case 'sent':
      return events
    case 'reversed':
      return events.toReversed()
    case 'shuffled': {
      const drawn = events.map((event) => ({ event, at: random() })).toSorted((a, b) => a.at - b.at)
      return drawn.map(({ event }) => event)
    }
  }
}
