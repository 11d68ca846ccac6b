import type { operations } from '../../api/schema.d.ts'
import { isAction } from './audit-words.ts'

/** Of several all have to hold. Times are ISO 8601; `from` is this time or later, `to` before this time. */
export type AuditFilters = Pick<
  NonNullable<operations['consoleListAuditEvents']['parameters']['query']>,
  'action' | 'actor' | 'target' | 'from' | 'to'
>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TARGET_MAX = 200

/** The filters that an address has; what is none, or not one that the service takes, is left out. */
export function readFilters(query: Record<string, unknown>): AuditFilters {
  const action = isAction(query.action) ? query.action : undefined
  const actor = typeof query.actor === 'string' && UUID.test(query.actor) ? query.actor : undefined
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

/** A time that somebody wrote, in the browser's time zone unless it names one, as ISO 8601 in UTC; null where it is none. */
export function readTime(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** A time as `<input type="datetime-local">` has it, in the browser's time zone and to the minute. */
export function localTime(iso: string): string {
  const at = new Date(iso)
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
