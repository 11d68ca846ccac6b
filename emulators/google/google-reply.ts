import type { EmulatorReply } from '../kit/server.ts'

/** An error as Google's APIs word it (https://developers.google.com/workspace/drive/api/guides/handle-errors). */
export function googleError(code: number, reason: string, message: string): EmulatorReply {
  return { status: code, json: { error: { code, message, errors: [{ message, domain: 'global', reason }] } } }
}

/** The whole number of a query parameter, within [1, most]. */
export function sizeOf(value: string | null, usual: number, most: number): number {
  const size = value === null ? usual : Number(value)
  return Number.isInteger(size) ? Math.min(most, Math.max(1, size)) : usual
}
