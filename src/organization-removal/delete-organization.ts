import { setImmediate as turn } from 'node:timers/promises'
import { LeaseLost, releaseLease, renewLease } from '../background/index.ts'
import { countUnreported } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { deleteSome, hasRows, ownedTables } from './delete-rows.ts'
import { claim, deleteOrganizationRow, type Held } from './lease.ts'
import type { Logger } from '../kernel/logger.ts'

export interface RemovalTimes {
  /** A process that holds a lease for so long without renewing it is gone. */
  leaseSeconds: number
  /** How often a lease is renewed. */
  renewMs: number
  /** How long an organization's row stays at least. */
  graceMs: number
  /** How long grants are kept that could not be ended at their provider yet. */
  grantsKeptMs: number
}

export const TIMES: RemovalTimes = {
  leaseSeconds: 60,
  renewMs: 10_000,
  // Well over the longest that a request may take, as credits are reserved for.
  graceMs: 5 * 60_000,
  // Ending a grant is tried for about three days (src/connections/revocations.ts).
  grantsKeptMs: 4 * 24 * 60 * 60_000,
}

interface Deletion {
  db: Db
  clock: Clock
  logger: Logger
  times: RemovalTimes
  signal: AbortSignal
}

/**
 * What deletes all rows of an organization that is being removed, with turns for other work in between, unless another process does;
 * and, once the time has come, its own row.
 */
export function createDeletion(deletion: Deletion): (organizationId: string) => Promise<void> {
  const { db, clock, logger, times, signal } = deletion
  return async (organizationId) => {
    const held = await claim(db, organizationId, times.leaseSeconds)
    if (held === null) return
    try {
      const areGrantsLeft = await deleteTables(deletion, held)
      const age = clock.now().getTime() - held.removedAt.getTime()
      if (areGrantsLeft || age < times.graceMs || !(await deleteOrganizationRow(db, held))) return
      logger.info({ organizationId }, 'a removed organization is deleted: nothing of it is left')
    } catch (error) {
      if (!(error instanceof LeaseLost) && !signal.aborted) throw error
    } finally {
      await releaseLease(db, held.lease)
    }
  }
}

/** @returns whether grants are left that may still be ended at their provider */
async function deleteTables(deletion: Deletion, held: Held): Promise<boolean> {
  const { db, clock, logger, times } = deletion
  const { organizationId, removedAt } = held
  const answers = await countUnreported(db, organizationId)
  if (answers > 0)
    logger.warn(
      { organizationId, answers },
      'answers over the cap of a removed organization did not reach the payment processor, and are deleted',
    )
  const keepGrants = clock.now().getTime() - removedAt.getTime() < times.grantsKeptMs
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

/** What is called between steps: gives others their turn, and renews the lease. It throws where this process stops, or has lost it. */
function createKeeper({ db, clock, times, signal }: Deletion, held: Held): () => Promise<void> {
  let renewedAt = clock.now().getTime()
  return async () => {
    await turn()
    signal.throwIfAborted()
    const now = clock.now().getTime()
    if (now - renewedAt < times.renewMs) return
    await renewLease(db, held.lease, { seconds: times.leaseSeconds })
    renewedAt = now
  }
}
