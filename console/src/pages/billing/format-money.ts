/** Formats an amount in the smallest unit of its currency: 9900 and `usd` become "$99.00". */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'usd',
  maximumFractionDigits: 3,
  trailingZeroDisplay: 'stripIfInteger',
})

/** Formats a price: "$99", "$1.20", "$0.015". */
export function formatDollars(amount: number): string {
  return dollars.format(amount)
}
