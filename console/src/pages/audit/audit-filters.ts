import { readId } from '../../data/ids.ts'
import type { operations } from '../../api/schema.d.ts'
import { isAction } from './audit-words.ts'

/** Filters combined with AND. Times are ISO 8601; `from` is inclusive, `to` is exclusive. */
export type AuditFilters = Pick<
  NonNullable<operations['consoleListAuditEvents']['parameters']['query']>,
  'action' | 'actor' | 'target' | 'from' | 'to'
>

export const TARGET_MAX = 2_048

/** The filters in the URL, without those that the service would refuse. */
export function readFilters(query: Record<string, unknown>): AuditFilters {
  const action = isAction(query.action) ? query.action : undefined
  const actor = readId(query.actor)
  const { target } = query
  const [from, to] = [readTime(query.from), readTime(query.to)]
  return {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(typeof target === 'string' && target !== '' && target.length <= TARGET_MAX ? { target } : {}),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  }
}

/** Converts a time to ISO 8601 in UTC; null if it is invalid. The default time zone is the browser's. */
export function readTime(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** A time for `<input type="datetime-local">`: in the browser's time zone, to the minute. */
export function localTime(iso: string): string {
  const at = new Date(iso)
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
