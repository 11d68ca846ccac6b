import { createTask, within } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import type { WebhookDisabledReason } from '../../database/schema.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type FindCipher, signedHeaders } from '../secrets.ts'
import { type AttemptEnd, beginAttempt, cancelAttempt, endAttempt, type Taken } from './attempt.ts'
import { findDue } from './find-due.ts'
import { createDeliverySlots, type DueDelivery, type TakenSlots } from './slots.ts'
import type { Send, SendResult } from './send.ts'

export interface DispatcherDependencies {
  db: Db
  clock: Clock
  random: () => number
  findCipher: FindCipher
  send: Send
  /** Called for every settled attempt. */
  onAttempt: (attempt: { outcome: AttemptEnd['outcome']; seconds: number }) => void
  /** Called when a webhook is disabled because it returned 410 or has failed for three days. */
  onDisabled: (webhook: { organizationId: string; webhookId: string; reason: WebhookDisabledReason }) => void
  onError: (error: unknown) => void
  /** How long attempts may finish when the process stops, in milliseconds; for tests. */
  stopGraceMs?: number | undefined
}

export interface Dispatcher {
  start(): void
  /** Reports a newly queued delivery. */
  wake(): void
  /** Attempts what is due now, and waits for it. */
  settle(): Promise<void>
  /** Accepts no more deliveries, gives running attempts a moment to end, and releases the rest. */
  stop(): Promise<void>
}

const LOOK_MS = 1_000
const STOP_GRACE_MS = 5_000

/** Delivers events concurrently, so that no receiver delays another. */
export function createDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { db, clock } = deps
  const slots = createDeliverySlots()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  /** Found, and not begun yet. */
  let found: DueDelivery[] = []
  let isStarted = false

  async function look(): Promise<number> {
    const taken = slots.taken()
    const due = await findDue(db, clock.now(), taken)
    // The search leaves out whatever has no free slot, which was found before.
    found = [...found.filter((one) => lacksSlot(one, taken)), ...due]
    return beginFound()
  }
  /** Returns how many were begun. */
  function beginFound(): number {
    const entered = new Set(found.filter(slots.enter))
    found = found.filter((one) => !entered.has(one))
    for (const one of entered) begin(one)
    return entered.size
  }
  function begin(due: DueDelivery): void {
    const delivery = carryOut(due)
    running.add(delivery)
    void delivery.finally(() => running.delete(delivery))
  }
  async function carryOut(due: DueDelivery): Promise<void> {
    let isDone = false
    try {
      await deliver(deps, due, stopping.signal)
      isDone = true
    } catch (error) {
      deps.onError(error)
    }
    slots.leave(due)
    // A failed one would fail again immediately, so it waits for the next tick.
    if (isDone && isStarted && beginFound() === 0) void task.ask()
  }
  const task = createTask({ act: look, intervalMs: LOOK_MS, onError: deps.onError })
  return {
    start() {
      isStarted = true
      task.start()
    },
    wake: () => void (isStarted && task.ask()),
    async settle() {
      while ((await look()) > 0) await Promise.all(running)
    },
    async stop() {
      isStarted = false
      await task.stop()
      await within(deps.stopGraceMs ?? STOP_GRACE_MS, Promise.all(running))
      stopping.abort(new Error('the process is stopping'))
      await Promise.all(running)
    },
  }
}

function lacksSlot({ organizationId, webhookId }: DueDelivery, taken: TakenSlots): boolean {
  return taken.organizationIds.includes(organizationId) || taken.webhookIds.includes(webhookId)
}

/** One attempt. @throws database errors: the lease then expires, and the event is sent again */
async function deliver(deps: DispatcherDependencies, due: DueDelivery, stopping: AbortSignal): Promise<void> {
  const { db, clock } = deps
  const began = performance.now()
  const taken = await beginAttempt(db, due, await deps.findCipher(), clock.now())
  if (!taken) return
  let result: SendResult | { fault: 'secret_unreadable' }
  try {
    result = await attempt(deps, taken, stopping)
  } catch (error) {
    if (!stopping.aborted) throw error
    await cancelAttempt(db, taken)
    return
  }
  const settled = await endAttempt(db, taken, result, { now: clock.now(), random: deps.random() })
  if (!settled) return
  deps.onAttempt({ outcome: settled.outcome, seconds: (performance.now() - began) / 1000 })
  const { organizationId, webhookId } = taken
  if (settled.disabled) deps.onDisabled({ organizationId, webhookId, reason: settled.disabled })
}

async function attempt(
  { clock, send }: DispatcherDependencies,
  { secrets, messageId, payload, url }: Taken,
  stopping: AbortSignal,
): Promise<SendResult | { fault: 'secret_unreadable' }> {
  if (secrets === null) return { fault: 'secret_unreadable' }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'retrieval-memory-service',
    ...signedHeaders({ id: messageId, at: clock.now(), payload }, secrets),
  }
  return await send({ url, headers, body: payload }, stopping)
}
