import type { Account, Invoice } from './account.ts'
import { found } from './account.ts'
import { discountLines } from './discounts.ts'

/** The emulator's only tax rate. */
const TAX_RATE = 'txr_emulator'

/** Sums up lines, discounts and taxes, and deducts a customer's credit; its rest stays for later. */
export function setAmounts(account: Account, invoice: Invoice): void {
  const subtotal = sum(invoice.lines.data.map(({ amount }) => amount))
  const discounted = subtotal - discountLines(account, invoice)
  const total = discounted + taxLines(account, invoice)
  const { balance } = found(account.customers, 'customer', invoice.customer)
  const ending = total < 0 ? balance + total : Math.min(0, balance + total)
  invoice.subtotal = subtotal
  invoice.subtotal_excluding_tax = subtotal
  invoice.total_excluding_tax = discounted
  invoice.total = total
  invoice.starting_balance = balance
  invoice.ending_balance = ending
  invoice.amount_due = Math.max(0, total + balance - ending)
  invoice.amount_remaining = invoice.amount_due - invoice.amount_paid
}

/** Adds tax to each line, after discounts. @returns the tax of the invoice in cents */
function taxLines(account: Account, invoice: Invoice): number {
  const percent = account.settings.taxPercent
  if (!invoice.automatic_tax.enabled || percent === null) return 0
  const common = {
    tax_behavior: 'exclusive',
    tax_rate_details: { tax_rate: TAX_RATE },
    taxability_reason: 'standard_rated',
    type: 'tax_rate_details',
  } as const
  for (const line of invoice.lines.data) {
    const taxable = line.amount - sum((line.discount_amounts ?? []).map(({ amount }) => amount))
    line.taxes = [{ ...common, amount: Math.round((taxable * percent) / 100), taxable_amount: taxable }]
  }
  const taxes = invoice.lines.data.flatMap((line) => line.taxes ?? [])
  const amount = sum(taxes.map((tax) => tax.amount))
  const taxable_amount = sum(taxes.map((tax) => tax.taxable_amount ?? 0))
  invoice.total_taxes = [{ ...common, amount, taxable_amount }]
  return amount
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
