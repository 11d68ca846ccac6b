import { createTask } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Row } from '../database/schema.ts'
import { isForeignKeyViolation } from '../database/retry-conflicts.ts'
import type { SentResponse } from '../http/log-responses.ts'
import { type Clock, DAY_MS } from '../kernel/clock.ts'
import { inParts } from '../kernel/in-parts.ts'
import { REQUESTS_KEPT_DAYS, REQUESTS_KEPT_MAX } from '../kernel/retention.ts'

/** The log of what API keys called. It is written in batches, so no request waits for it. */
export interface RequestLog {
  /** Logs an answered request of a key; ignores other callers. */
  add(response: SentResponse): void
  /** Writes the requests added so far, so that readers see them. */
  flush(): Promise<void>
  start(): void
  /** Writes the last batch. */
  stop(): Promise<void>
}

/** A log has up to this many requests more than its maximum until it is trimmed. */
const TRIM_EVERY = 1_000
const FLUSH_INTERVAL_MS = 5_000
/** Maximum for all workspaces between two flushes. */
const WAITING_MAX = 20_000
/** Per statement: the embedded database runs one at a time, so a larger one would delay searches. */
const BATCH_MAX = 250
/** Cut like a stored column, so that a long-running stream fits. */
const DURATION_MAX_MS = 2_147_483_647

type LoggedRequest = Omit<Row<'request_log'>, 'organization_id' | 'answered_at'> & { answered_at: string }

const write = prepare(`
  insert into request_log
    (organization_id, answered_at, request_id, api_key_id, method, path, status, duration_ms, credits, is_mcp)
  select $1::uuid, e.answered_at, e.request_id, e.api_key_id, e.method, e.path, e.status, e.duration_ms, e.credits,
    e.is_mcp
  from jsonb_to_recordset($2::jsonb) as e (
    answered_at timestamptz, request_id uuid, api_key_id uuid, method text, path text, status smallint,
    duration_ms integer, credits smallint, is_mcp boolean
  )`)

const trim = prepare(`
  delete from request_log where organization_id = $1 and (answered_at, request_id) < (
    select answered_at, request_id from request_log where organization_id = $1
    order by answered_at desc, request_id desc offset $2 limit 1
  )`)

const deleteOlder = prepare(`delete from request_log where organization_id = $1 and answered_at < $2`)

/** @param onLost a batch could not be written, or requests came faster than they could be */
export function createRequestLog({
  db,
  clock,
  onLost,
  requestsMax = REQUESTS_KEPT_MAX,
  trimEvery = TRIM_EVERY,
  waitingMax = WAITING_MAX,
}: {
  db: Db
  clock: Clock
  onLost: (requests: number, error?: unknown) => void
  requestsMax?: number
  trimEvery?: number
  waitingMax?: number
}): RequestLog {
  let waiting = new Map<string, LoggedRequest[]>()
  let waitingCount = 0
  let lost = 0
  /** How many a workspace got since it was trimmed. A process does not know what others left, so it trims at once. */
  const untrimmed = new Map<string, number>()

  async function store(organizationId: string, requests: readonly LoggedRequest[]): Promise<void> {
    await write(db, [organizationId, JSON.stringify(requests)])
    const count = (untrimmed.get(organizationId) ?? trimEvery) + requests.length
    if (count >= trimEvery) await trim(db, [organizationId, requestsMax - 1])
    untrimmed.set(organizationId, count >= trimEvery ? 0 : count)
  }

  /** A batch that fails is dropped, so that the others are written. */
  async function storeIfPossible(organizationId: string, requests: readonly LoggedRequest[]): Promise<void> {
    try {
      await store(organizationId, requests)
    } catch (error) {
      // The workspace was removed, and its log with it.
      if (isForeignKeyViolation(error)) untrimmed.delete(organizationId)
      else onLost(requests.length, error)
    }
  }

  async function writeWaiting(): Promise<void> {
    const batches = waiting
    if (lost > 0) onLost(lost)
    waiting = new Map()
    waitingCount = 0
    lost = 0
    for (const [organizationId, requests] of batches) {
      for (const batch of inParts(requests, BATCH_MAX)) await storeIfPossible(organizationId, batch)
    }
  }

  const task = createTask({
    act: writeWaiting,
    intervalMs: FLUSH_INTERVAL_MS,
    onError: (error) => onLost(0, error),
  })
  return {
    add(answered) {
      const { caller } = answered
      if (caller?.kind !== 'agent') return
      if (waitingCount >= waitingMax) {
        lost += 1
        return
      }
      waitingCount += 1
      const batch = waiting.get(caller.organizationId) ?? []
      batch.push(toRequest(answered, caller.apiKeyId, clock.now()))
      waiting.set(caller.organizationId, batch)
    },
    flush: () => task.ask(),
    start: () => task.start(),
    async stop() {
      await task.stop()
      await writeWaiting()
    },
  }
}

function toRequest(
  { requestId, method, route, status, seconds, credits, isMcp }: SentResponse,
  apiKeyId: string,
  at: Date,
): LoggedRequest {
  return {
    answered_at: at.toISOString(),
    request_id: requestId,
    api_key_id: apiKeyId,
    method,
    path: route.replaceAll(/:(\w+)/g, '{$1}'),
    status,
    duration_ms: Math.min(DURATION_MAX_MS, Math.max(0, Math.round(seconds * 1000))),
    credits,
    is_mcp: isMcp,
  }
}

/** Deletes requests that are too old, one workspace per statement. Safe to run on several instances at once. */
export async function deleteExpiredRequests(db: Db, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - REQUESTS_KEPT_DAYS * DAY_MS)
  const organizations = await db.selectFrom('organizations').select('id').execute()
  for (const { id } of organizations) await deleteOlder(db, [id, oldest])
}
