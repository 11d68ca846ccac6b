import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { readKeyNames } from '../database/key-names.ts'
import type { ChargedAction } from '../kernel/actions.ts'
import { LINES_MAX, type Usage } from './schemas.ts'

/** A range of days, both ends included. With `period`, only the credits of the period that began then. */
export interface DayRange {
  from: string
  to: string
  period: Date | null
}

type UsageView = Omit<Usage, 'from' | 'to'>

interface LineRow {
  date: string
  subject_id: string
  is_user: boolean
  surface: ChargedAction
  is_mcp: boolean
  requests: number
  credits: number
  total_requests: number
  total_credits: number
}

/** What an organization was charged by day, caller and surface: latest day first, then by surface and caller. */
export async function readDays(
  db: Db,
  organizationId: string,
  range: DayRange,
  linesMax = LINES_MAX,
): Promise<UsageView> {
  const rows = await selectLines(db, organizationId, range, linesMax + 1)
  const shown = rows.slice(0, linesMax)
  const [keys, people] = await Promise.all([
    readKeyNames(db, organizationId, subjectsOf(shown, 'keys')),
    namesOfPeople(db, subjectsOf(shown, 'people')),
  ])
  return {
    days: shown.map(({ date, subject_id, is_user, surface, is_mcp, requests, credits }) => ({
      date,
      apiKeyId: is_user ? null : subject_id,
      userId: is_user ? subject_id : null,
      name: (is_user ? people : keys).get(subject_id) ?? null,
      surface,
      isMcp: is_mcp,
      requests,
      credits,
    })),
    totals: { requests: rows[0]?.total_requests ?? 0, credits: rows[0]?.total_credits ?? 0 },
    isCapped: rows.length > linesMax,
  }
}

async function selectLines(
  db: Db,
  organizationId: string,
  { from, to, period }: DayRange,
  limit: number,
): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    select to_char(day, 'YYYY-MM-DD') as date, subject_id, is_user, surface, is_mcp,
      sum(requests)::integer as requests, sum(credits)::integer as credits,
      (sum(sum(requests)) over ())::integer as total_requests, (sum(sum(credits)) over ())::integer as total_credits
    from daily_usage
    where organization_id = ${organizationId} and day between ${from}::date and ${to}::date
      and (${period}::timestamptz is null or period_started_at = ${period}::timestamptz)
    group by day, subject_id, is_user, surface, is_mcp
    order by day desc, surface, is_user, subject_id, is_mcp
    limit ${limit}`.execute(db)
  return rows
}

async function namesOfPeople(db: Db, ids: ReadonlySet<string>): Promise<Map<string, string | null>> {
  if (ids.size === 0) return new Map()
  const named = await db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(named.map(({ id, name, email }) => [id, name ?? email]))
}

function subjectsOf(rows: readonly LineRow[], kind: 'keys' | 'people'): Set<string> {
  const isUser = kind === 'people'
  return new Set(rows.filter((row) => row.is_user === isUser).map(({ subject_id }) => subject_id))
}
