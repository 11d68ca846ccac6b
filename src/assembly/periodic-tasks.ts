import { createTask, type Task } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { deleteExpiredDays } from '../daily-usage/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { deleteExpiredInvitations, deleteStrangers } from '../organizations/index.ts'
import { deleteExpiredRequests } from '../request-log/index.ts'
import { type Credits, noteLowCredits, type RateLimit } from '../usage/index.ts'
import type { Logger } from '../kernel/logger.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** The longest delay until webhooks are notified that credits are low. */
const LOW_CREDITS_INTERVAL_MS = 10_000

/** Refunds credits of dead requests, deletes what has expired, and notifies webhooks of low credits. */
export function createPeriodicTasks(
  { credits, rateLimit }: { credits: Credits; rateLimit: RateLimit },
  { db, clock, logger }: { db: Db; clock: Clock; logger: Logger },
): Task[] {
  const every = (intervalMs: number, act: () => Promise<unknown>, failure: string): Task =>
    createTask({ act, intervalMs, onError: (err) => logger.error({ err }, failure) })
  return [
    every(MINUTE_MS, () => credits.refundExpired(clock.now()), 'expired credits could not be refunded'),
    every(MINUTE_MS, () => rateLimit.deleteEmptyWindows(), 'expired rate windows could not be deleted'),
    every(HOUR_MS, () => deleteExpiredDays(db, clock.now()), 'expired days of usage could not be deleted'),
    every(
      HOUR_MS,
      () => deleteExpiredRequests(db, clock.now()),
      'old requests could not be deleted from the request log',
    ),
    every(
      HOUR_MS,
      () => deleteExpiredInvitations(db, clock.now()),
      'expired invitations could not be deleted',
    ),
    every(
      HOUR_MS,
      async () => {
        const people = await deleteStrangers(db, clock.now())
        if (people > 0) logger.info({ people }, 'deleted users without a workspace')
      },
      'users without a workspace could not be deleted',
    ),
    every(
      LOW_CREDITS_INTERVAL_MS,
      () => noteLowCredits(db, clock.now()),
      'low-credit notices could not be queued',
    ),
  ]
}
