import { QUERY_CHARACTERS_MAX } from '../../../../src/kernel/limits.ts'
import { readId } from '../../data/ids.ts'
import type { Schemas } from '../../api/client.ts'
import { type ProviderId, providerIds } from '../../api/provider-list.ts'

type Filter = NonNullable<Schemas['SearchRequest']['filter']>
export type SourceKind = NonNullable<Filter['sourceKinds']>[number]

/** How many search results to show at first, and at most. */
export const RESULTS = { first: 8, all: 25 } as const

export const SOURCE_KINDS: readonly SourceKind[] = ['message', 'document', 'file']

/** The search parameters of the Ask page. They can link to everything except an answer that is not stored. */
export interface AskSearch {
  q?: string
  /** Search results. Without it, an answer. */
  mode?: 'search'
  rank?: 'vector'
  /** A thorough answer, for which the language model searches several times. */
  effort?: 'high'
  all?: true
  providers?: ProviderId[]
  kinds?: SourceKind[]
  author?: string
  /** Days such as `2026-03-01`, both inclusive, in the browser's time zone. */
  from?: string
  to?: string
  source?: string
  entity?: string
  thread?: string
  /** The workspace of a shared link. */
  workspace?: string
  /** The earlier questions of a shared follow-up, oldest first. */
  after?: string[]
  /** The open item, and the number of its open passage, starting at 1. */
  item?: string
  at?: number
  /** Which marker of the passage was opened, starting at 1. Without it, every statement that cites the passage counts. */
  mention?: number
  /** The stored answer that cites the open passage. Without it, the latest answer. */
  turn?: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const WORDS_MAX = 1_000
/** The service's limit of a conversation. */
export const CONVERSATION_MAX = 10

/** Reads the search parameters and omits invalid ones. */
export function readAskSearch(given: Record<string, unknown>): AskSearch {
  const search: AskSearch = {}
  const q = wordsOf(given.q)?.slice(0, QUERY_CHARACTERS_MAX)
  const author = wordsOf(given.author)?.slice(0, WORDS_MAX)
  const providers = listOf(given.providers, providerIds())
  const kinds = listOf(given.kinds, SOURCE_KINDS)
  if (q !== undefined) search.q = q
  if (given.mode === 'search') search.mode = 'search'
  if (given.rank === 'vector') search.rank = 'vector'
  if (given.effort === 'high') search.effort = 'high'
  if (given.all === true) search.all = true
  if (providers.length > 0) search.providers = providers
  if (kinds.length > 0) search.kinds = kinds
  if (author !== undefined) search.author = author
  for (const name of ['from', 'to'] as const) {
    const day = given[name]
    if (typeof day === 'string' && DAY.test(day) && !Number.isNaN(Date.parse(day))) search[name] = day
  }
  for (const name of ['source', 'entity', 'item', 'thread', 'turn', 'workspace'] as const) {
    const id = readId(given[name])
    if (id !== undefined) search[name] = id
  }
  const after = questionsOf(given.after)
  if (after.length > 0) search.after = after
  for (const name of ['at', 'mention'] as const) {
    const number = given[name]
    if (typeof number === 'number' && Number.isInteger(number) && number > 0) search[name] = number
  }
  return search
}

/** The API's filter; undefined without filters. */
export function filterOf(search: AskSearch): Filter | undefined {
  const filter: Filter = {
    ...(search.providers ? { providers: search.providers } : {}),
    ...(search.kinds ? { sourceKinds: search.kinds } : {}),
    ...(search.author === undefined ? {} : { authorName: search.author }),
    ...(search.from === undefined ? {} : { updatedAfter: startOfDay(search.from, 0) }),
    ...(search.to === undefined ? {} : { updatedBefore: startOfDay(search.to, 1) }),
    ...(search.source === undefined ? {} : { connectorId: search.source }),
    ...(search.entity === undefined ? {} : { entityId: search.entity }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

export function searchRequestOf(search: AskSearch): Schemas['SearchRequest'] {
  const filter = filterOf(search)
  return {
    query: search.q ?? '',
    limit: search.all ? RESULTS.all : RESULTS.first,
    rank: search.rank ?? 'hybrid',
    ...(filter ? { filter } : {}),
  }
}

export function withoutFilter(search: AskSearch): AskSearch {
  return without(search, 'providers', 'kinds', 'author', 'from', 'to', 'source', 'entity')
}

/** The search parameters without those of the previous results. */
export function atFirst(search: AskSearch): AskSearch {
  return without(search, 'all', 'item', 'at', 'mention', 'turn', 'after')
}

/** A copy without some parameters. */
export function without(search: AskSearch, ...names: (keyof AskSearch)[]): AskSearch {
  const rest = { ...search }
  for (const name of names) delete rest[name]
  return rest
}

function startOfDay(day: string, daysLater: number): string {
  const start = new Date(`${day}T00:00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}

/** The router parses words such as `2026` and `true` as numbers and booleans. */
function wordsOf(given: unknown): string | undefined {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return undefined
  const words = String(given).trim()
  return words === '' ? undefined : words
}

function questionsOf(given: unknown): string[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((one) => wordsOf(one)?.slice(0, QUERY_CHARACTERS_MAX) ?? []).slice(-CONVERSATION_MAX)
}

function listOf<Id extends string>(given: unknown, known: readonly Id[]): Id[] {
  return Array.isArray(given) ? known.filter((id) => given.includes(id)) : []
}
