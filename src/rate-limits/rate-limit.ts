import type { Db } from '../database/database.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import type { RateState } from '../http/gates.ts'
import { rateHeaders } from '../http/rate-headers.ts'
import { AppError } from '../kernel/errors.ts'

/** Above this limit times are stored in slots, or the row would grow with the limit. */
const EXACT_UP_TO = 1_000
/** A row of a hundred entries stays on its page; a thousand made an embedded admission seven times slower. */
const SLOTS = 100
const WINDOW_MS = 60_000
const DELETED_AT_ONCE = 500
export const WINDOWS_MAX = 1_000

/** The counted subject: an API key or a console user, in its organization. */
export interface RateSubject {
  organizationId: string
  subjectId: string
}

export interface RateWindow {
  subjectId: string
  action: string
  used: number
  state: RateState
}

export interface RateWindowOf {
  subject: RateSubject
  action: string
}

interface Counted {
  used: number
  /** When the oldest counted request leaves, in milliseconds since the epoch, rounded up. */
  reset_ms: number
}

/** The database's result for requests counted together. */
export interface RateCount extends Counted {
  admitted: number
}

export interface RateLimit {
  /** Requests a minute for each subject and action. */
  limitPerMinute: number
  /** Requests within this many milliseconds share one time; 0: each has its own. */
  slotMs: number
  /** Turns the database's count into the outcome of each request. `counted` is undefined when nothing was counted. */
  outcomes(
    of: RateWindowOf,
    counted: RateCount | undefined,
    requests: number,
  ): Promise<(RateState | AppError)[]>
  /** Counts a request in the subject's rolling minute. @throws AppError `rate_limited`; then it is not counted */
  admit(subject: RateSubject, action: string): Promise<RateState>
  /** Counts nothing. */
  state(subject: RateSubject, action: string): Promise<RateState>
  /** Non-empty windows of these subjects, fullest first and at most `WINDOWS_MAX`. Counts nothing. */
  windows(organizationId: string, subjectIds: readonly string[]): Promise<RateWindow[]>
  /** Removes windows without counted requests, in batches. Returns how many it removed. */
  deleteEmptyWindows(): Promise<number>
}

export interface RateLimitOptions {
  db: Db
  /** Requests a minute for each subject and action; at least 1. */
  limitPerMinute: number
  /** The SQL expression of the current time, shared by all instances. */
  databaseNow?: string
  /** The largest limit for which each request's time is stored. */
  exactUpTo?: number
  deletedAtOnce?: number
}

interface RateStatements {
  admit: Prepared<RateCount>
  windows: Prepared<WindowRow>
  over: Prepared<OverWindow>
  remove: Prepared<unknown>
}

/** A non-empty window; when there is none, one row of nulls with the time. */
interface WindowRow {
  now_ms: number
  subject_id: string | null
  action: string | null
  used: number | null
  reset_ms: number | null
}

interface OverWindow {
  organization_id: string
  subject_id: string
  action: string
}

/** A rolling minute for each subject and action. The database counts, so all instances share it. */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { db, limitPerMinute: limit, exactUpTo = EXACT_UP_TO, deletedAtOnce = DELETED_AT_ONCE } = options
  const statements = options.databaseNow === undefined ? STATEMENTS : rateStatements(options.databaseNow)
  const slotMs = limit <= exactUpTo ? 0 : WINDOW_MS / SLOTS

  const look = async (subject: RateSubject, action: string): Promise<{ state: RateState; at: number }> => {
    const { organizationId, subjectId } = subject
    const values = [organizationId, JSON.stringify([subjectId]), action, limit, 1]
    const [row] = (await statements.windows(db, values)).rows
    if (!row) throw new Error('the state of the rate window returned no row')
    const counted = { used: row.used ?? 0, reset_ms: row.reset_ms ?? row.now_ms }
    return { state: toRateState(limit, counted), at: row.now_ms }
  }

  const outcomes = async (
    { subject, action }: RateWindowOf,
    counted: RateCount | undefined,
    requests: number,
  ): Promise<(RateState | AppError)[]> => {
    const admitted = counted === undefined ? [] : rateStatesOf(limit, counted)
    if (admitted.length === requests) return admitted
    const { state, at } = await look(subject, action)
    // A place may have become free since the refusal.
    const freeAt = state.remaining > 0 ? new Date(at) : state.resetAt
    const refused = Array.from({ length: requests - admitted.length }, () =>
      rateLimited(action, limit, freeAt, at),
    )
    return [...admitted, ...refused]
  }

  return {
    limitPerMinute: limit,
    slotMs,
    outcomes,
    async admit(subject, action) {
      const values = [subject.organizationId, subject.subjectId, action, limit, slotMs]
      const [outcome] = await outcomes({ subject, action }, (await statements.admit(db, values)).rows[0], 1)
      if (outcome === undefined) throw new Error('a request was counted without an outcome')
      if (outcome instanceof AppError) throw outcome
      return outcome
    },
    async state(subject, action) {
      return (await look(subject, action)).state
    },
    async windows(organizationId, subjectIds) {
      const values = [organizationId, JSON.stringify(subjectIds), null, limit, WINDOWS_MAX]
      const { rows } = await statements.windows(db, values)
      return rows.flatMap(({ subject_id: subjectId, action, used, reset_ms }) =>
        subjectId === null || action === null || used === null || reset_ms === null
          ? []
          : [{ subjectId, action, used, state: toRateState(limit, { used, reset_ms }) }],
      )
    },
    async deleteEmptyWindows() {
      for (let removed = 0; ;) {
        const { rows } = await statements.over(db, [deletedAtOnce])
        const before = removed
        for (const [organizationId, windows] of Map.groupBy(rows, (row) => row.organization_id)) {
          removed += (await statements.remove(db, [organizationId, JSON.stringify(windows)])).rows.length
        }
        if (removed === before) return removed
      }
    },
  }
}

/**
 * A database function counts requests (migration 0022), because admitting a key's requests counts them too. No
 * distributed table allows an update that reads the clock, so `rate_windows` is not distributed
 * (database/distribution/layout.ts).
 * @param timeSql expression of the time; the clock by default
 */
function rateStatements(timeSql?: string): RateStatements {
  const now = timeSql ?? 'clock_timestamp()'
  const window = `interval '${WINDOW_MS} milliseconds'`
  // The last entry is the newest. Twice the window, so that an active request never waits for a deletion.
  const isOver = `w.admitted_at[cardinality(w.admitted_at)] < ${now} - 2 * ${window}`
  return {
    admit: prepare(
      `select admitted, used, reset_ms from admit_requests($1, $2, $3, $4, $5, 1, ${timeSql ?? 'null'})`,
    ),
    windows: prepare(`
      select ${epochMs('clock.at')} as now_ms, counting.subject_id, counting.action, counting.used,
        ${epochMs('counting.reset_at')} as reset_ms
      from (select ${now} as at) clock
      left join lateral (
        select w.subject_id, w.action, sum(entry.n)::int as used,
          min(entry.at) filter (where newer < $4::int) + ${window} as reset_at
        from json_array_elements_text($2::json) as subject (id)
        join rate_windows w on w.organization_id = $1 and w.subject_id = subject.id::uuid
          and ($3::text is null or w.action = $3)
        cross join lateral (
          select e.at, n, sum(n) over (order by e.at desc) - n as newer
          from unnest(w.admitted_at, w.admitted_count) as e (at, n)
          where e.at > clock.at - ${window}
        ) entry
        group by w.subject_id, w.action
        order by used desc, w.subject_id, w.action
        limit $5
      ) counting on true
      order by counting.used desc, counting.subject_id, counting.action`),
    over: prepare(`
      select w.organization_id, w.subject_id, w.action from rate_windows w
      where ${isOver} limit $1`),
    // Checks again: a request may have been counted in the meantime.
    remove: prepare(`
      delete from rate_windows w
      using json_to_recordset($2::json) as o(subject_id uuid, action text)
      where w.organization_id = $1 and w.subject_id = o.subject_id and w.action = o.action and ${isOver}
      returning w.action`),
  }
}

const STATEMENTS = rateStatements()

/** Rounded up, because a place must be free at the moment that the caller gets. */
function epochMs(time: string): string {
  return `ceil(extract(epoch from ${time}) * 1000)::float8`
}

function toRateState(limit: number, { used, reset_ms }: Counted): RateState {
  return { limit, remaining: Math.max(0, limit - used), resetAt: new Date(reset_ms) }
}

function rateStatesOf(limit: number, { admitted, ...counted }: RateCount): RateState[] {
  const before = counted.used - admitted
  return Array.from({ length: admitted }, (_, index) =>
    toRateState(limit, { ...counted, used: before + index + 1 }),
  )
}

export function rateLimited(action: string, limit: number, resetAt: Date, nowMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - nowMs) / 1000))
  return new AppError(
    'rate_limited',
    `Over the limit of ${limit} requests a minute for "${action}"; try again in ${retryAfterSeconds} s`,
    {
      details: { action, limit, retryAfterSeconds, resetAt: resetAt.toISOString() },
      headers: {
        'Retry-After': String(retryAfterSeconds),
        ...rateHeaders({ limit, remaining: 0, resetAt }),
      },
    },
  )
}
