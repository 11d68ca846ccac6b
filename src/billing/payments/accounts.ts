import { randomUUID } from 'node:crypto'
import { isLeaseFree, leaseEnd } from '../../background/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import { retryConflicts } from '../../database/retry-conflicts.ts'
import type { Row } from '../../database/schema.ts'

/** Well over what the calls of one turn take; a process that died is followed after it. */
export const LEASE_SECONDS = 60
const ERROR_CHARACTERS_MAX = 500

/** The right to talk to the payment processor about an organization; one process has it at a time. */
export interface Turn {
  organizationId: string
  leaseId: string
  /** The announced changes that whatever is read in this turn has seen. */
  notices: number
  customerId: string | null
  /** The subscription that the stored one was last read from. */
  mirroredId: string | null
  attempts: number
}

/** Makes the account of an organization, unless there is one. */
export async function ensureAccount(db: Db, organizationId: string, at: Date): Promise<void> {
  await db
    .insertInto('payment_accounts')
    .values({ organization_id: organizationId, created_at: at })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute()
}

/** The account; undefined where the organization has never been at the payment processor. */
export async function findAccount(
  db: Db,
  organizationId: string,
): Promise<Row<'payment_accounts'> | undefined> {
  return await db
    .selectFrom('payment_accounts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
}

/**
 * Takes the turn, which runs out by the database's clock.
 * @returns null while another has it, or where there is no account.
 */
export async function takeTurn(db: Db, organizationId: string): Promise<Turn | null> {
  return await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      const account = await tx
        .selectFrom('payment_accounts')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(isLeaseFree('lease_expires_at'))
        .forUpdate()
        .executeTakeFirst()
      if (!account) return null
      const leaseId = randomUUID()
      await tx
        .updateTable('payment_accounts')
        .set({ lease_id: leaseId, lease_expires_at: leaseEnd(LEASE_SECONDS) })
        .where('organization_id', '=', organizationId)
        .execute()
      const { notices, customer_id: customerId, processor_subscription_id: mirroredId, attempts } = account
      return { organizationId, leaseId, notices, customerId, mirroredId, attempts }
    }),
  )
}

/** Proves that the turn is still ours, and has it hold for as long again. @returns whether it is */
export async function renewTurn(db: Db, turn: Turn): Promise<boolean> {
  const renewed = await db
    .updateTable('payment_accounts')
    .set({ lease_expires_at: leaseEnd(LEASE_SECONDS) })
    .where('organization_id', '=', turn.organizationId)
    .where('lease_id', '=', turn.leaseId)
    .returning('organization_id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** Locks the account until the transaction ends. @returns undefined when the turn is no longer ours. */
export async function lockTurn(tx: Tx, turn: Turn): Promise<Row<'payment_accounts'> | undefined> {
  return await tx
    .selectFrom('payment_accounts')
    .selectAll()
    .where('organization_id', '=', turn.organizationId)
    .where('lease_id', '=', turn.leaseId)
    .forUpdate()
    .executeTakeFirst()
}

/** Lets the turn go; after a failed reading, which is not to be tried for the same notices before `notBefore`. */
export async function endTurn(
  db: Db,
  turn: Turn,
  failure: { notBefore: Date; error: unknown } | null,
): Promise<void> {
  await db
    .updateTable('payment_accounts')
    .set({
      lease_id: null,
      lease_expires_at: null,
      ...(failure === null
        ? {}
        : {
            not_before: failure.notBefore,
            attempts: turn.attempts + 1,
            last_error: wordsOf(failure.error),
          }),
    })
    .where('organization_id', '=', turn.organizationId)
    .where('lease_id', '=', turn.leaseId)
    .execute()
}

function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, ERROR_CHARACTERS_MAX)
}

/** Remembers the customer that was made in this turn. */
export async function storeCustomer(db: Db, turn: Turn, customerId: string): Promise<void> {
  await db
    .updateTable('payment_accounts')
    .set({ customer_id: customerId })
    .where('organization_id', '=', turn.organizationId)
    .where('lease_id', '=', turn.leaseId)
    .execute()
}

/** Gives up all turns and reports under way: for a database that no other process can have open. */
export async function releaseAllTurns(db: Db): Promise<void> {
  const free = { lease_id: null, lease_expires_at: null }
  await db.updateTable('payment_accounts').set(free).where('lease_id', 'is not', null).execute()
  await db.updateTable('overage_reports').set(free).where('lease_id', 'is not', null).execute()
}
