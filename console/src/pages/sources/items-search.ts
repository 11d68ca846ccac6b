import { readId } from '../../data/ids.ts'
import { providerChoices, type ProviderId } from '../../api/provider-list.ts'
import { KINDS, type SourceKind } from './source-words.ts'

/** The origin of items: a provider, or imported files. */
export type Origin = ProviderId | 'files'
export type Access = (typeof ACCESS_CHOICES)[number]['value']

/** The search parameters of an item list: its filters, and the open item. */
export interface ItemsSearch {
  /** Part of a title or text. */
  q?: string
  source?: string
  provider?: Origin
  kind?: SourceKind
  access?: Access
  /** Days, both inclusive. */
  from?: string
  to?: string
  /** A name of the memory that the items contain. */
  entity?: string
  order?: 'oldest'
  item?: string
}

/** The tabs of a source's page, besides its items. */
export const SOURCE_TABS = ['skipped', 'history', 'channels', 'permissions'] as const
export type SourceTab = (typeof SOURCE_TABS)[number]

/** The search parameters of a source's page. */
export type SourceSearch = ItemsSearch & {
  tab?: SourceTab
  /** Its account has just been connected again. */
  reconnected?: true
}

export function readSourceSearch(search: Record<string, unknown>): SourceSearch {
  const tab = SOURCE_TABS.find((one) => one === search.tab)
  return {
    ...readItemsSearch(search),
    ...(tab === undefined ? {} : { tab }),
    ...(search.reconnected === true ? { reconnected: true } : {}),
  }
}

const TEXT_CHARACTERS_MAX = 200
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads the search parameters and omits invalid ones. */
export function readItemsSearch(search: Record<string, unknown>): ItemsSearch {
  const read = {
    q: readText(search.q),
    source: readId(search.source),
    provider: originChoices().find(({ value }) => value === search.provider)?.value,
    kind: KIND_CHOICES.find(({ value }) => value === search.kind)?.value,
    access: ACCESS_CHOICES.find(({ value }) => value === search.access)?.value,
    from: readDay(search.from),
    to: readDay(search.to),
    entity: readId(search.entity),
    item: readId(search.item),
  }
  const { q, source, provider, kind, access, from, to, entity, item } = read
  return {
    ...(q === undefined ? {} : { q }),
    ...(source === undefined ? {} : { source }),
    ...(provider === undefined ? {} : { provider }),
    ...(kind === undefined ? {} : { kind }),
    ...(access === undefined ? {} : { access }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(entity === undefined ? {} : { entity }),
    ...(search.order === 'oldest' ? { order: 'oldest' as const } : {}),
    ...(item === undefined ? {} : { item }),
  }
}

/** The filters alone: the router's search also has parameters of other pages. */
export function filtersOf(search: ItemsSearch): Omit<ItemsSearch, 'item' | 'order'> {
  const { item: _, order: __, ...filters } = readItemsSearch({ ...search })
  return filters
}

export function readImportSearch(search: Record<string, unknown>): { source?: string } {
  const source = readId(search.source)
  return source === undefined ? {} : { source }
}

/** The router parses a text of digits as a number. */
function readText(given: unknown): string | undefined {
  const words = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : ''
  return words === '' ? undefined : words.slice(0, TEXT_CHARACTERS_MAX)
}

function readDay(given: unknown): string | undefined {
  return typeof given === 'string' && DAY.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined
}

export const KIND_CHOICES: { value: SourceKind; label: string }[] = [
  { value: 'document', label: `${KINDS.document}s` },
  { value: 'message', label: `${KINDS.message}s` },
  { value: 'file', label: `${KINDS.file}s` },
]

export const originChoices = (): { value: Origin; label: string }[] => [
  ...providerChoices(),
  { value: 'files', label: 'Imported files' },
]

/** Who may read an item by its access policy. */
export const ACCESS_CHOICES = [
  { value: 'everyone', label: 'Everyone' },
  { value: 'source', label: 'People of the source' },
  { value: 'limited', label: 'Named people and groups' },
  { value: 'nobody', label: 'Nobody' },
] as const
