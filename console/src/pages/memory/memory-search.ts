import { type ProviderId, providerIds } from '../../api/provider-list.ts'

export type EntityType = 'person' | 'organization' | 'channel' | 'topic'
export type Since = 'week' | 'month' | 'year'
export type SortColumn = 'name' | 'kind' | 'weight' | 'links'

export const ENTITY_TYPES: readonly EntityType[] = ['person', 'organization', 'channel', 'topic']
export const SINCE: readonly Since[] = ['week', 'month', 'year']
const SORT_COLUMNS: readonly SortColumn[] = ['name', 'kind', 'weight', 'links']

/** What the address of the page Memory says. */
export interface MemorySearch {
  q?: string
  type?: EntityType
  provider?: ProviderId
  since?: Since
  /** A table in the place of the picture. */
  view?: 'table'
  /** The column that the table is sorted by, in its own direction unless `reversed`. */
  sort?: SortColumn
  reversed?: true
  /** The node that is open. */
  node?: string
  /** Only that node and what is around it. */
  around?: true
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const WORDS_MAX = 200

/** What of an address is understood; the rest of it is left out, since anybody may have written it. */
export function readMemorySearch(given: Record<string, unknown>): MemorySearch {
  const q = typeof given.q === 'string' || typeof given.q === 'number' ? String(given.q).trim() : ''
  const type = oneOf(given.type, ENTITY_TYPES)
  const provider = oneOf(given.provider, providerIds())
  const since = oneOf(given.since, SINCE)
  const sort = oneOf(given.sort, SORT_COLUMNS)
  const node = typeof given.node === 'string' && UUID.test(given.node) ? given.node : undefined
  return {
    ...(q === '' ? {} : { q: q.slice(0, WORDS_MAX) }),
    ...(type === undefined ? {} : { type }),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { since }),
    ...(given.view === 'table' ? { view: 'table' } : {}),
    ...(sort === undefined ? {} : { sort }),
    ...(given.reversed === true ? { reversed: true } : {}),
    ...(node === undefined ? {} : { node }),
    ...(node !== undefined && given.around === true ? { around: true } : {}),
  }
}

function oneOf<Id extends string>(given: unknown, known: readonly Id[]): Id | undefined {
  return known.find((id) => id === given)
}
