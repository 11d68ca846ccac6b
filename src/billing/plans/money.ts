const MICROS = 1_000_000n
const DECIMALS = 6
const CENT_DECIMALS = 2

/** Millionths of a US dollar as a decimal string with at least two decimals: 15000n is `0.015`. */
export function formatUsd(micros: bigint): string {
  const fraction = (micros % MICROS).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return `${micros / MICROS}.${fraction.padEnd(CENT_DECIMALS, '0')}`
}

/** An amount in US dollars as the operator may write it: up to six decimals, below a hundred dollars. */
export const USD_PATTERN = /^\d{1,2}(\.\d{1,6})?$/

/** A text that matches {@link USD_PATTERN} in millionths of a US dollar. */
export function parseUsd(text: string): number {
  const [whole = '0', fraction = ''] = text.split('.')
  return Number(BigInt(whole) * MICROS + BigInt(fraction.padEnd(DECIMALS, '0')))
}
