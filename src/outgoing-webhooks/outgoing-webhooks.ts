import { sql } from 'kysely'
import { HOUR_MS } from '../kernel/clock.ts'
import { createTask } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { deleteExpiredDeliveries } from './delete-expired.ts'
import { reencryptSecrets } from './reencryption.ts'
import { type Resolve, systemResolve } from '../guarded-requests/addresses.ts'
import { createDispatcher, type DispatcherDependencies } from './sending/dispatcher.ts'
import { createSend } from './sending/send.ts'
import { createWebhooks, type WebhookDependencies, type Webhooks } from './webhooks.ts'

export interface OutgoingWebhooks {
  webhooks: Webhooks
  deliveries: Deliveries
  lag(): Promise<DeliveryLag>
  /** Starts delivering, deleting old data and re-encrypting secrets with the first key. */
  start(): void
  /** Attempts what is due now, and waits for it. For tests, without `start`. */
  settle(): Promise<void>
  /** Deletes old data and re-encrypts secrets. */
  maintain(): Promise<void>
  /** Stops everything; releases attempts that do not end soon. */
  stop(): Promise<void>
}

/** How far deliveries lag. */
export interface DeliveryLag {
  /** Pending deliveries, including those between attempts. */
  waiting: number
  /** How long the oldest one has been due, in seconds; 0 when none is due. */
  lagSeconds: number
}

export interface OutgoingWebhookDependencies
  extends WebhookDependencies, Omit<DispatcherDependencies, 'send'> {
  /** Resolves host names; the system's resolver by default. */
  resolve?: Resolve
}

const MAINTAIN_MS = HOUR_MS

export function createOutgoingWebhooks(deps: OutgoingWebhookDependencies): OutgoingWebhooks {
  const { db, clock } = deps
  const { resolve = systemResolve, allowsPrivate } = deps
  const send = createSend({ resolve, allowsPrivate })
  const dispatcher = createDispatcher({ ...deps, send })
  const maintain = async (): Promise<void> => {
    await deleteExpiredDeliveries(db, clock.now())
    await reencryptSecrets(db, deps.findCipher)
  }
  const maintenance = createTask({ act: maintain, intervalMs: MAINTAIN_MS, onError: deps.onError })
  return {
    webhooks: createWebhooks(deps),
    deliveries: createDeliveries({ db, clock, onQueued: dispatcher.wake }),
    lag: () => readLag(db, clock.now()),
    start() {
      dispatcher.start()
      maintenance.start()
    },
    settle: dispatcher.settle,
    maintain,
    async stop() {
      await Promise.all([maintenance.stop(), dispatcher.stop()])
    },
  }
}

async function readLag(db: Db, now: Date): Promise<DeliveryLag> {
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
