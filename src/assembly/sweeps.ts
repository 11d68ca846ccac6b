import { createTask, type Task } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { pruneDays } from '../daily-usage/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { forgetInvitations, forgetStrangers } from '../organizations/index.ts'
import { pruneRequests } from '../request-log/index.ts'
import { type Credits, noteLowCredits, type RateLimit } from '../usage/index.ts'
import type { Logger } from '../kernel/logger.ts'

const SWEEP_INTERVAL_MS = 60_000
const PRUNE_INTERVAL_MS = 60 * 60_000
/** The longest delay until webhooks are notified that credits are low. */
const LOW_CREDITS_INTERVAL_MS = 10_000

/** Refunds credits of dead requests, deletes what has expired, and notifies webhooks of low credits. */
export function createSweeps(
  { credits, rateLimit }: { credits: Credits; rateLimit: RateLimit },
  { db, clock, logger }: { db: Db; clock: Clock; logger: Logger },
): Task[] {
  const sweep = (act: () => Promise<unknown>, failure: string, intervalMs = SWEEP_INTERVAL_MS): Task =>
    createTask({ act, intervalMs, onError: (err) => logger.error({ err }, failure) })
  return [
    sweep(() => credits.sweepExpired(clock.now()), 'expired credits could not be refunded'),
    sweep(() => rateLimit.sweep(), 'expired rate windows could not be deleted'),
    sweep(() => pruneDays(db, clock.now()), 'expired days of usage could not be deleted', PRUNE_INTERVAL_MS),
    sweep(
      () => pruneRequests(db, clock.now()),
      'old requests could not be deleted from the request log',
      PRUNE_INTERVAL_MS,
    ),
    sweep(
      () => forgetInvitations(db, clock.now()),
      'expired invitations could not be deleted',
      PRUNE_INTERVAL_MS,
    ),
    sweep(
      async () => {
        const people = await forgetStrangers(db, clock.now())
        if (people > 0) logger.info({ people }, 'deleted users without a workspace')
      },
      'users without a workspace could not be deleted',
      PRUNE_INTERVAL_MS,
    ),
    sweep(
      () => noteLowCredits(db, clock.now()),
      'low-credit notices could not be queued',
      LOW_CREDITS_INTERVAL_MS,
    ),
  ]
}
