import { setImmediate } from 'node:timers/promises'
import { LeaseLost, releaseLease, renewLease } from '../background/index.ts'
import { countUnreported } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import { type Clock, DAY_MS, MINUTE_MS } from '../kernel/clock.ts'
import { deleteSome, hasRows, ownedTables } from './delete-rows.ts'
import { claim, deleteOrganizationRow, type Held } from './lease.ts'
import type { Logger } from '../kernel/logger.ts'

/** A process that does not renew its lease in time is considered dead. */
const LEASE_SECONDS = 60
const RENEW_MS = 10_000
/** Well over the longest request; the same as for credit reservations. */
const GRACE_MS = 5 * MINUTE_MS
/** How long grants are kept that could not be revoked: it is retried for three days (src/connections/revocations.ts). */
const GRANTS_KEPT_MS = 4 * DAY_MS

interface Deletion {
  db: Db
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

/** Deletes a removed organization's rows, yielding to other work, and its own row after the grace period. */
export function createDeletion(deletion: Deletion): (organizationId: string) => Promise<void> {
  const { db, clock, logger, signal } = deletion
  return async (organizationId) => {
    const held = await claim(db, organizationId, LEASE_SECONDS)
    if (held === null) return
    try {
      const areGrantsLeft = await deleteTables(deletion, held)
      const age = clock.now().getTime() - held.removedAt.getTime()
      if (areGrantsLeft || age < GRACE_MS || !(await deleteOrganizationRow(db, held))) return
      logger.info({ organizationId }, 'deleted all data of a removed organization')
    } catch (error) {
      if (!(error instanceof LeaseLost) && !signal.aborted) throw error
    } finally {
      await releaseLease(db, held.lease)
    }
  }
}

/** @returns whether there are grants left to revoke at their provider */
async function deleteTables(deletion: Deletion, held: Held): Promise<boolean> {
  const { db, clock, logger } = deletion
  const { organizationId, removedAt } = held
  const answers = await countUnreported(db, organizationId)
  if (answers > 0)
    logger.warn(
      { organizationId, answers },
      'deleted the unreported answers over the cap of a removed organization',
    )
  const keepGrants = clock.now().getTime() - removedAt.getTime() < GRANTS_KEPT_MS
  const keepLease = createKeeper(deletion, held)
  let areGrantsLeft = false
  for (const table of await ownedTables(db)) {
    await keepLease()
    if (table.name === 'grant_revocations' && keepGrants)
      areGrantsLeft = await hasRows(db, table, organizationId)
    else while (await deleteSome(db, table, organizationId)) await keepLease()
  }
  return areGrantsLeft
}

/** Yields and renews the lease between steps. It throws when this process stops or has lost the lease. */
function createKeeper({ db, clock, signal }: Deletion, held: Held): () => Promise<void> {
  let renewedAt = clock.now().getTime()
  return async () => {
    await setImmediate()
    signal.throwIfAborted()
    const now = clock.now().getTime()
    if (now - renewedAt < RENEW_MS) return
    await renewLease(db, held.lease, { seconds: LEASE_SECONDS })
    renewedAt = now
  }
}
