import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { PROVIDERS } from '../providers/index.ts'
import { type EventFilter, type EventPage, pageEvents } from './list-events.ts'
import type { AuditEvent } from './schemas.ts'
import { recordEvent } from './record-event.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Events in memory at a time; one takes up to about 10 KB (the query of a context). */
const PAGE_EVENTS = 200

const COLUMNS = [
  'createdAt',
  'id',
  'action',
  'actorUserId',
  'actorApiKeyId',
  'targetType',
  'targetId',
  'metadata',
] as const

/**
 * Records that the trail is exported, then yields its text in pieces, with its own event if the filter matches.
 * @param recheck throws once the caller may no longer read: an export can take hours
 */
export async function exportEvents(
  db: Db,
  clock: Clock,
  caller: ConsoleCaller,
  { format, ...filter }: EventFilter & { format: ExportFormat },
  recheck: () => Promise<unknown>,
): Promise<AsyncGenerator<string>> {
  const { organizationId } = caller
  await transact(db, (tx) =>
    recordEvent(tx, caller, {
      action: 'audit.export',
      target: ['organization', organizationId],
      metadata: { format, ...filter },
      // The export contains events of every provider.
      providers: PROVIDERS,
      at: clock.now(),
    }),
  )
  return writeEvents(db, caller, { format, filter, recheck })
}

async function* writeEvents(
  db: Db,
  caller: ConsoleCaller,
  { format, filter, recheck }: { format: ExportFormat; filter: EventFilter; recheck: () => Promise<unknown> },
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS)
  let cursor: string | undefined
  do {
    await recheck()
    const page: EventPage = await pageEvents(db, caller, { ...filter, cursor, limit: PAGE_EVENTS })
    if (page.auditEvents.length > 0) yield page.auditEvents.map((event) => write(event, format)).join('')
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

function write(event: AuditEvent, format: ExportFormat): string {
  switch (format) {
    case 'jsonl':
      return `${JSON.stringify(event)}\n`
    case 'csv':
      return csvLine(COLUMNS.map((column) => cellOf(event[column])))
  }
}

function cellOf(value: AuditEvent[keyof AuditEvent]): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a spreadsheet would take for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** A line of CSV (RFC 4180). Every cell is quoted; an apostrophe precedes what would be a formula. */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`)
  return `${quoted.join(',')}\r\n`
}
