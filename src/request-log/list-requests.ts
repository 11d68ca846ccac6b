import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { readKeyNames } from '../database/key-names.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { LoggedRequest } from './schemas.ts'

/** Selects requests that match every field. */
export interface RequestFilter {
  apiKeyId?: string | undefined
  /** A status such as `404`, or a class of them such as `4xx`. */
  status?: string | undefined
  /** The beginning of the path. */
  path?: string | undefined
  /** When they were answered, in ISO 8601; without the end. */
  from?: string | undefined
  to?: string | undefined
}

export interface RequestPage {
  requests: LoggedRequest[]
  nextCursor: string | null
}

const NEWEST = { at: 'answered_at', id: 'request_id' }

/** A page of a workspace's requests, newest first. @throws AppError `validation_failed` for a cursor of another list */
export async function listRequests(
  db: Db,
  organizationId: string,
  { cursor, limit, ...filter }: RequestFilter & PageQuery,
): Promise<RequestPage> {
  const { apiKeyId, status, path, from, to } = filter
  const list = ['request-log', organizationId, apiKeyId, status, path, from, to]
  const matching = selectRequests(db, organizationId, filter)
  const { page, nextCursor } = await readPage(matching, list, NEWEST, { cursor, limit })
  const names = await readKeyNames(db, organizationId, new Set(page.map((row) => row.api_key_id)))
  return {
    requests: page.map((row) => ({
      requestId: row.request_id,
      method: row.method,
      path: row.path,
      status: row.status,
      durationMs: row.duration_ms,
      credits: row.credits,
      isMcp: row.is_mcp,
      apiKeyId: row.api_key_id,
      keyName: names.get(row.api_key_id) ?? null,
      answeredAt: row.answered_at.toISOString(),
    })),
    nextCursor,
  }
}

function selectRequests(db: Db, organizationId: string, { apiKeyId, status, path, from, to }: RequestFilter) {
  let query = db.selectFrom('request_log').selectAll().where('organization_id', '=', organizationId)
  if (apiKeyId !== undefined) query = query.where('api_key_id', '=', apiKeyId)
  if (status !== undefined) {
    const [first, last] = statusesOf(status)
    query = query.where('status', '>=', first).where('status', '<=', last)
  }
  if (path !== undefined) query = query.where(sql<boolean>`starts_with(path, ${path})`)
  if (from !== undefined) query = query.where('answered_at', '>=', new Date(from))
  if (to !== undefined) query = query.where('answered_at', '<', new Date(to))
  return query
}

function statusesOf(status: string): [number, number] {
  if (!status.endsWith('xx')) return [Number(status), Number(status)]
  const first = Number(status[0]) * 100
  return [first, first + 99]
}
