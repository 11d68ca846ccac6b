import { createTask, type Task } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { deleteExpiredDays } from '../daily-usage/index.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../kernel/clock.ts'
import { deleteExpiredInvitations, deleteUsersWithoutWorkspace } from '../organizations/index.ts'
import { deleteExpiredRequests } from '../request-log/index.ts'
import { type Credits, noteLowCredits } from '../credits/index.ts'
import type { RateLimit } from '../rate-limits/index.ts'
import type { Logger } from '../kernel/logger.ts'

/** The longest delay until webhooks are notified that credits are low. */
const LOW_CREDITS_MS = 10_000

/** Refunds credits of dead requests, deletes what has expired, and notifies webhooks of low credits. */
export function createPeriodicTasks(
  { credits, rateLimit }: { credits: Credits; rateLimit: RateLimit },
  { db, clock, logger }: { db: Db; clock: Clock; logger: Logger },
): Task[] {
  const every = (intervalMs: number, act: (now: Date) => Promise<unknown>, failure: string): Task =>
    createTask({ act: () => act(clock.now()), intervalMs, onError: (err) => logger.error({ err }, failure) })
  const deleteUnusedUsers = async (now: Date): Promise<void> => {
    const people = await deleteUsersWithoutWorkspace(db, now)
    if (people > 0) logger.info({ people }, 'deleted users without a workspace')
  }
  return [
    every(MINUTE_MS, credits.refundExpired, 'expired credits could not be refunded'),
    every(MINUTE_MS, rateLimit.deleteEmptyWindows, 'expired rate windows could not be deleted'),
    every(HOUR_MS, (now) => deleteExpiredDays(db, now), 'expired days of usage could not be deleted'),
    every(
      HOUR_MS,
      (now) => deleteExpiredRequests(db, now),
      'old requests could not be deleted from the request log',
    ),
    every(HOUR_MS, (now) => deleteExpiredInvitations(db, now), 'expired invitations could not be deleted'),
    every(HOUR_MS, deleteUnusedUsers, 'users without a workspace could not be deleted'),
    every(LOW_CREDITS_MS, (now) => noteLowCredits(db, now), 'low-credit notices could not be queued'),
  ]
}
