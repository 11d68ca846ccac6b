import type { Stripe } from 'stripe'
import { INVOICE_STATUSES } from '../schemas.ts'
import type { Invoice } from '../schemas.ts'

/** A customer's newest invoices; those of a status that this version does not know are left out. */
export async function listInvoices(stripe: Stripe, customerId: string, limit: number): Promise<Invoice[]> {
  const { data } = await stripe.invoices.list({ customer: customerId, limit })
  return data.flatMap(({ id, number, created, status: given, total, currency, hosted_invoice_url: url }) => {
    const status = INVOICE_STATUSES.find((one) => one === given)
    if (id === undefined || status === undefined) return []
    const createdAt = new Date(created * 1000).toISOString()
    return [{ id, number, createdAt, status, total, currency, url: url ?? null }]
  })
}
