import { acquireLease, type Lease, LeaseLost, releaseLease, requireLease } from '../../background/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Row } from '../../database/schema.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

/** Well over the duration of a holder's calls; after a crash another process takes over when it expires. */
export const LEASE_SECONDS = 60
const ERROR_CHARACTERS_MAX = 500

/** The exclusive right to call the payment processor about an organization. */
export interface PaymentLease {
  organizationId: string
  lease: Lease<'payment_accounts'>
  /** The announced changes that readings under this lease include. */
  notices: number
  customerId: string | null
  /** The subscription from which the stored one was last read. */
  mirroredId: string | null
  attempts: number
}

/** Creates an organization's account, unless it exists. */
export async function ensureAccount(db: Db, organizationId: string, at: Date): Promise<void> {
  await db
    .insertInto('payment_accounts')
    .values({ organization_id: organizationId, created_at: at })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute()
}

/** The account; undefined when the organization has never been at the payment processor. */
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

/** Acquires the lease, by the database's clock. @returns null while another process holds it, or without an account */
export async function acquirePaymentLease(db: Db, organizationId: string): Promise<PaymentLease | null> {
  const key = { organization_id: organizationId }
  const lease = await acquireLease(db, { table: 'payment_accounts', key }, { seconds: LEASE_SECONDS })
  const account = lease && (await findAccount(db, organizationId))
  if (!account) return null
  const { notices, customer_id: customerId, processor_subscription_id: mirroredId, attempts } = account
  return { organizationId, lease, notices, customerId, mirroredId, attempts }
}

/** Locks the account until the transaction ends. @returns undefined when another process holds the lease. */
export async function lockAccount(tx: Tx, held: PaymentLease): Promise<Row<'payment_accounts'> | undefined> {
  try {
    await requireLease(tx, held.lease)
  } catch (error) {
    if (error instanceof LeaseLost) return undefined
    throw error
  }
  return await findAccount(tx, held.organizationId)
}

/** Releases the lease. After a failed reading, the next one for the same notices waits until `notBefore`. */
export async function releasePaymentLease(
  db: Db,
  held: PaymentLease,
  failure: { notBefore: Date; error: unknown } | null,
): Promise<void> {
  const set = failure && {
    not_before: failure.notBefore,
    attempts: held.attempts + 1,
    last_error: messageOf(failure.error).slice(0, ERROR_CHARACTERS_MAX),
  }
  await releaseLease(db, held.lease, set ? { set } : {})
}
