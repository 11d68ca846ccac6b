const numbers = new Intl.NumberFormat('en')

/** A number with separators: 12,345. */
export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** "1 item", "2 items". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}
