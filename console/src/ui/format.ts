const numbers = new Intl.NumberFormat('en')

/** Formats a number with separators: 12,345. */
export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** "1 item", "2 items". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${noun(value, one, many)}`
}

/** "item" for 1, "items" for other numbers. */
export function noun(value: number, one: string, many = `${one}s`): string {
  return value === 1 ? one : many
}

const KILO = 1_024
const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats a size to one decimal: "812 bytes", "1.2 MB". */
export function formatBytes(bytes: number): string {
  const step = Math.min(
    BYTE_UNITS.length - 1,
    bytes < KILO ? 0 : Math.floor(Math.log10(bytes) / Math.log10(KILO)),
  )
  const value = bytes / KILO ** step
  if (step === 0) return count(bytes, 'byte')
  return `${numbers.format(Math.round(value * 10) / 10)} ${BYTE_UNITS[step] ?? ''}`
}
