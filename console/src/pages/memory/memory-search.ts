import type { Schemas } from '../../api/client.ts'
import { readId } from '../../data/ids.ts'
import { localDay } from '../../data/local-day.ts'
import { type ProviderId, providerIds } from '../../api/provider-list.ts'

/** The kinds to filter names by. A place is a channel if it holds chats, otherwise a folder. */
export type NameKind = Schemas['CanvasEntity']['entity']['type'] | 'folder'
export type Since = 'week' | 'month' | 'year'
/** The view instead of the graph. */
export type View = 'table' | 'changes'
export type SortColumn = 'name' | 'kind' | 'weight' | 'links'

/** Apart from their colors, which the first view of the console does not load. */
const KINDS: Record<NameKind, true> = {
  person: true,
  organization: true,
  channel: true,
  folder: true,
  topic: true,
}
export const NAME_KINDS = Object.keys(KINDS).filter((kind): kind is NameKind => kind in KINDS)
const VIEWS: readonly View[] = ['table', 'changes']
export const SINCE: readonly Since[] = ['week', 'month', 'year']
const SORT_COLUMNS: readonly SortColumn[] = ['name', 'kind', 'weight', 'links']

export interface MemorySearch {
  q?: string
  type?: NameKind
  provider?: ProviderId
  since?: Since
  view?: View
  /** The sort column of the table, in its default direction unless `reversed`. */
  sort?: SortColumn
  reversed?: true
  /** The open node. */
  node?: string
  /** Shows only the open node and its neighbors. */
  around?: true
}

const WORDS_MAX = 200

/** Reads the search parameters and omits invalid ones. */
export function readMemorySearch(given: Record<string, unknown>): MemorySearch {
  const q = typeof given.q === 'string' || typeof given.q === 'number' ? String(given.q).trim() : ''
  const type = oneOf(given.type, NAME_KINDS)
  const view = oneOf(given.view, VIEWS)
  const provider = oneOf(given.provider, providerIds())
  const since = oneOf(given.since, SINCE)
  const sort = oneOf(given.sort, SORT_COLUMNS)
  const node = readId(given.node)
  return {
    ...(q === '' ? {} : { q: q.slice(0, WORDS_MAX) }),
    ...(type === undefined ? {} : { type }),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { since }),
    ...(view === undefined ? {} : { view }),
    ...(sort === undefined ? {} : { sort }),
    ...(given.reversed === true ? { reversed: true } : {}),
    ...(node === undefined ? {} : { node }),
    ...(node !== undefined && given.around === true ? { around: true } : {}),
  }
}

function oneOf<Id extends string>(given: unknown, known: readonly Id[]): Id | undefined {
  return known.find((id) => id === given)
}

const DAY_MS = 24 * 60 * 60_000
const SINCE_DAYS: Record<Since, number> = { week: 7, month: 30, year: 365 }

/** The start of the filter's time range. */
export function timeOf(since: Since): Date {
  return new Date(Date.now() - SINCE_DAYS[since] * DAY_MS)
}

/** The local day of that time, as in URLs: `2025-06-30`. */
export function dayOf(since: Since): string {
  return localDay(timeOf(since))
}
