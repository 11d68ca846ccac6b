import { firstIndex } from '../kit/first-index.ts'
import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import type { ConfluenceState } from './state.ts'

export interface RouteContext {
  state: ConfluenceState
  /** The token's user; null: none. */
  accountId: string | null
  /** Ids that are not in the search index yet. */
  unindexed: ReadonlySet<string>
  /** The maximum results of a search, whatever is requested, and the maximum users or groups of a restriction. */
  searchedMax: number
  subjectsMax: number
}

export interface Call extends EmulatorRequest, RouteContext {
  /** The values matched by the route's pattern. */
  matched: readonly string[]
}

export interface Route {
  method?: 'POST'
  pattern: RegExp
  /** The documented parameters. */
  parameters: readonly string[]
  answer(call: Call): EmulatorReply
}

const CODES: Readonly<Record<number, string>> = { 400: 'INVALID_REQUEST_PARAMETER', 404: 'NOT_FOUND' }

export const refusalV2 = (status: number, title: string): EmulatorReply => ({
  status,
  json: { errors: [{ status, code: CODES[status] ?? 'ERROR', title, detail: null }] },
})
export const refusalV1 = (status: number, message: string): EmulatorReply => ({
  status,
  json: { statusCode: status, data: { authorized: status !== 403, valid: true, errors: [] }, message },
})

const VALUES: Readonly<Record<string, RegExp>> = {
  limit: /^(?:[1-9]\d?|1\d\d|2[0-4]\d|250)$/,
  start: /^\d+$/,
  status: /^(?:current|archived|trashed|deleted)(?:,(?:current|archived|trashed|deleted))*$/,
  sort: /^-?(?:id|created-date|modified-date|title|key|name)$/,
  'body-format': /^(?:storage|atlas_doc_format|view|export_view)$/,
  'include-labels': /^(?:true|false)$/,
  id: /^\d+(?:,\d+){0,249}$/,
}

/** The first parameter that Confluence does not document or whose value it refuses. */
export function parameterFault(query: URLSearchParams, known: readonly string[]): string | null {
  for (const [name, value] of query) {
    if (!known.includes(name)) return `Unknown parameter '${name}'`
    if (VALUES[name]?.test(value) === false) return `Provided value for '${name}' is not the correct type`
  }
  return null
}

/** Lists ordered by id, and which of their entries are returned; all by default. */
export interface Listing<Entry extends { id: string }> {
  lists: readonly Iterable<Entry>[]
  isListed?: (entry: Entry) => boolean
}

/** A page of an API v2 list. The opaque cursor is the id after which it begins. */
export function pagedV2<Entry extends { id: string }>(
  call: Call,
  listing: Listing<Entry>,
  show: (entry: Entry) => unknown,
): EmulatorReply {
  const found = cut(call, listing, Number(call.query.get('limit') ?? 25))
  if (found === null) return refusalV2(400, "Provided value for 'cursor' is not the correct type")
  const next = found.next === null ? {} : { next: `${call.path}?${found.next}` }
  return {
    json: { results: found.entries.map(show), _links: { ...next, base: 'https://acme.example/wiki' } },
    headers: found.next === null ? {} : { link: `<${call.path}?${found.next}>; rel="next"` },
  }
}

/** A page of an API v1 search. Its links are relative to `/wiki`. */
export function pagedV1<Entry extends { id: string }>(
  call: Call,
  listing: Listing<Entry>,
  show: (entry: Entry) => unknown,
): EmulatorReply {
  const limit = Math.min(Number(call.query.get('limit') ?? 25), call.searchedMax)
  const found = cut(call, listing, limit)
  if (found === null) return refusalV1(400, 'The cursor is not valid')
  const next = found.next === null ? {} : { next: `${call.path.replace('/wiki', '')}?${found.next}` }
  const results = found.entries.map(show)
  return {
    json: {
      results,
      start: 0,
      limit,
      size: results.length,
      _links: { ...next, base: 'https://acme.example/wiki', context: '/wiki' },
    },
  }
}

function cut<Entry extends { id: string }>(
  { query }: Call,
  { lists, isListed = () => true }: Listing<Entry>,
  limit: number,
) {
  const cursor = query.get('cursor')
  const after = cursor === null ? 0 : idIn(cursor)
  if (after === null) return null
  const found = merged(lists, after)
    .filter(isListed)
    .take(limit + 1)
    .toArray()
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  if (last === undefined || entries.length === found.length) return { entries, next: null }
  const following = new URLSearchParams({
    ...Object.fromEntries(query),
    cursor: Buffer.from(`after:${numberOf(last.id)}`).toString('base64'),
  })
  return { entries, next: following.toString() }
}

/** The entries of ordered lists after an id, in the order of their ids. */
function* merged<Entry extends { id: string }>(
  lists: readonly Iterable<Entry>[],
  after: number,
): Generator<Entry, void> {
  const rests = lists.map((list) => {
    const entries = [...list]
    return { entries, at: firstIndex(entries, ({ id }) => numberOf(id) > after) }
  })
  for (;;) {
    const waiting = rests.filter(({ entries, at }) => at < entries.length)
    const nextOf = ({ entries, at }: (typeof rests)[number]): number => numberOf(entries[at]?.id ?? '')
    const rest = waiting.reduce<(typeof rests)[number] | undefined>(
      (first, one) => (first === undefined || nextOf(one) < nextOf(first) ? one : first),
      undefined,
    )
    const entry = rest?.entries[rest.at]
    if (rest === undefined || entry === undefined) return
    rest.at += 1
    yield entry
  }
}

/** The ids of attachments have letters before the number. */
const numberOf = (id: string): number => Number(id.startsWith('att') ? id.slice(3) : id)

function idIn(cursor: string): number | null {
  const [, id] = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8')) ?? []
  return id === undefined ? null : Number(id)
}
