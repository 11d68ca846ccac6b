import type { EmulatorReply } from '../kit/server.ts'

/** An error in the format of Google's APIs (https://developers.google.com/workspace/drive/api/guides/handle-errors). */
export function googleError(
  code: number,
  reason: string,
  message: string,
  location: { location?: string; locationType?: 'parameter' | 'header' } = {},
): EmulatorReply {
  return {
    status: code,
    json: { error: { code, message, errors: [{ message, domain: 'global', reason, ...location }] } },
  }
}

export function invalidParameter(
  location: string,
  message: string,
  reason = 'invalidParameter',
): EmulatorReply {
  return googleError(400, reason, message, { location, locationType: 'parameter' })
}

/** A query parameter as a whole number within [1, most]. */
export function sizeOf(value: string | null, usual: number, most: number): number {
  const size = value === null ? usual : Number(value)
  return Number.isInteger(size) ? Math.min(most, Math.max(1, size)) : usual
}

/** The refusal of an invalid Drive `pageSize`; null for a valid one. */
export function refusePageSize(query: URLSearchParams, most: number): EmulatorReply | null {
  const value = query.get('pageSize')
  if (value === null) return null
  const size = Number(value)
  if (value !== '' && Number.isInteger(size) && size >= 1 && size <= most) return null
  return invalidParameter(
    'pageSize',
    `Invalid value '${value}'. Values must be within the range: [1, ${most}]`,
  )
}
