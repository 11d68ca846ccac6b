import type { Db } from '../../database/database.ts'
import { type PaymentProcessor, toUpstreamError } from '../payment-processor.ts'
import type { Invoice } from '../schemas.ts'
import { findAccount } from './accounts.ts'

/** Maximum number of invoices shown. The payment processor's portal lists all of them. */
const SHOWN_MAX = 12

/** The newest invoices of an organization, none before its first checkout. @throws AppError `upstream_error` */
export async function listInvoices(
  { db, processor }: { db: Db; processor: PaymentProcessor },
  organizationId: string,
): Promise<Invoice[]> {
  const account = await findAccount(db, organizationId)
  if (!account?.customer_id) return []
  try {
    return await processor.listInvoices(account.customer_id, SHOWN_MAX)
  } catch (error) {
    throw toUpstreamError(error)
  }
}
