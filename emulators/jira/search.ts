import type { EmulatorReply } from '../kit/server.ts'
import { type Call, isRead, refusal } from './reply.ts'
import { showIssue } from './show.ts'

const JQL = /^project in \((\d+(?:, \d+)*)\)(?: AND updated >= -(\d+)m)? ORDER BY created ASC, key ASC$/
const MINUTE_MS = 60_000
const DOCUMENTED = new Set([
  'jql',
  'fields',
  'maxResults',
  'nextPageToken',
  'expand',
  'properties',
  'fieldsByKeys',
  'reconcileIssues',
])

/** The enhanced search: a page of a bounded query. The token holds its position. */
export function search(call: Call): EmulatorReply {
  const { state, body, now, unindexed, headers, pageMax } = call
  if (!headers['content-type']?.startsWith('application/json')) return refusal(415, 'Unsupported Media Type')
  const parsed: Record<string, unknown> = { ...JSON.parse(body) }
  const unknown = Object.keys(parsed).find((name) => !DOCUMENTED.has(name))
  if (unknown !== undefined) return refusal(400, `Unrecognized field "${unknown}"`)
  const { jql, fields = ['id'], maxResults = 50, nextPageToken = null } = parsed
  const [, ids, minutes] = JQL.exec(String(jql)) ?? []
  if (ids === undefined) return refusal(400, `Error in the JQL Query: ${String(jql)}`)
  const projects = new Set(ids.split(', '))
  for (const id of projects)
    if (!state.projects.has(id))
      return refusal(400, `The value '${id}' does not exist for the field 'project'.`)
  if (!Array.isArray(fields) || typeof maxResults !== 'number' || maxResults < 1 || maxResults > 5_000)
    return refusal(400, 'Invalid request payload')
  const after = nextPageToken === null ? '' : readToken(nextPageToken, String(jql))
  if (after === null) return refusal(400, 'The nextPageToken is not valid')
  // JQL's relative times are whole minutes.
  const since =
    minutes === undefined ? 0 : Math.floor(now / MINUTE_MS) * MINUTE_MS - Number(minutes) * MINUTE_MS
  const found = [...state.issues.values()]
    .filter(({ id, projectId, updated }) => projects.has(projectId) && updated >= since && !unindexed.has(id))
    .filter((issue) => isRead(call, issue))
    .map((issue) => ({ issue, place: placeOf(issue) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .filter(({ place }) => place > after)
  // Fields cost Jira more than ids.
  const limit = Math.min(maxResults, fields.length === 1 && fields[0] === 'id' ? 5_000 : 100, pageMax)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    json: {
      issues: page.map(({ issue }) => showIssue(call, issue, fields.map(String))),
      // Absent on the last page.
      ...(last !== undefined &&
        found.length > page.length && { nextPageToken: tokenOf(last.place, String(jql)) }),
      isLast: found.length === page.length,
    },
  }
}

const placeOf = ({ created, key }: { created: number; key: string }): string =>
  `${String(created).padStart(15, '0')} ${key}`
const tokenOf = (place: string, jql: string): string =>
  Buffer.from(JSON.stringify({ place, jql })).toString('base64')

function readToken(token: unknown, jql: string): string | null {
  try {
    const read: { place?: unknown; jql?: unknown } = Object(
      JSON.parse(Buffer.from(String(token), 'base64').toString('utf8')),
    )
    return typeof read.place === 'string' && read.jql === jql ? read.place : null
  } catch {
    return null
  }
}
