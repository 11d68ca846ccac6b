import { sql } from 'kysely'
import { createTask, releaseLeases } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { reencryptSecrets, sweepDeliveries } from './sweep.ts'
import { type Resolve, systemResolve } from './sending/addresses.ts'
import { createDispatcher, type DispatcherDependencies } from './sending/dispatcher.ts'
import { createSend } from './sending/send.ts'
import { createWebhooks, type WebhookDependencies, type Webhooks } from './webhooks.ts'

export interface OutgoingWebhooks {
  webhooks: Webhooks
  deliveries: Deliveries
  standing(): Promise<DeliveryStanding>
  /** Delivers, forgets what is old and keeps secrets encrypted by the first key, from now on. */
  start(): void
  /** Attempts what is due now, and waits for it. For tests, with the rest not started. */
  settle(): Promise<void>
  /** Gives up what a dead process had begun: for a database that no other process can have open. */
  takeOver(): Promise<void>
  /** Forgets what is old, and encrypts secrets anew. */
  sweep(): Promise<void>
  /** Ends it all; what cannot end in a moment is handed back. */
  stop(): Promise<void>
}

/** How far deliveries are behind. */
export interface DeliveryStanding {
  /** Deliveries that wait, for their next attempt too. */
  waiting: number
  /** How long the one that has been due for the longest is, in seconds; 0 where none is. */
  lagSeconds: number
}

export interface OutgoingWebhookDependencies
  extends
    WebhookDependencies,
    Pick<DispatcherDependencies, 'random' | 'onAttempt' | 'onDisabled' | 'onError' | 'stopGraceMs'> {
  /** How names become addresses; as the machine does it when not said. */
  resolve?: Resolve
  /** How long an attempt may take, milliseconds; of tests. */
  timeoutMs?: number
}

const SWEEP_MS = 3_600_000

/** Webhooks of workspaces, and the delivery of events to them. */
export function createOutgoingWebhooks(deps: OutgoingWebhookDependencies): OutgoingWebhooks {
  const { db, clock } = deps
  const { resolve = systemResolve, allowsPrivate, timeoutMs } = deps
  const send = createSend({ resolve, allowsPrivate, timeoutMs })
  const dispatcher = createDispatcher({ ...deps, send })
  const sweep = async (): Promise<void> => {
    await sweepDeliveries(db, clock.now())
    if (!(await hasAny(db))) return
    const cipher = await deps.findCipher()
    if (cipher) await reencryptSecrets(db, cipher)
  }
  const sweeping = createTask({ act: sweep, intervalMs: SWEEP_MS, onError: deps.onError })
  return {
    webhooks: createWebhooks(deps),
    deliveries: createDeliveries({ db, clock, onQueued: dispatcher.wake }),
    standing: () => readStanding(db, clock.now()),
    start() {
      dispatcher.start()
      sweeping.start()
    },
    settle: dispatcher.settle,
    async takeOver() {
      await releaseLeases(db, 'webhook_deliveries')
    },
    sweep,
    async stop() {
      await Promise.all([sweeping.stop(), dispatcher.stop()])
    },
  }
}

/** Where nobody has a webhook, no key to encrypt with is made. */
async function hasAny(db: Db): Promise<boolean> {
  const any = await db.selectFrom('outgoing_webhooks').select('id').limit(1).executeTakeFirst()
  return any !== undefined
}

async function readStanding(db: Db, now: Date): Promise<DeliveryStanding> {
  const { waiting, oldest } = await db
    .selectFrom('webhook_deliveries')
    .select([
      sql<number>`count(*)::float8`.as('waiting'),
      sql<Date | null>`min(next_attempt_at)`.as('oldest'),
    ])
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  const lagMs = oldest === null ? 0 : now.getTime() - oldest.getTime()
  return { waiting, lagSeconds: Math.max(0, lagMs / 1000) }
}
