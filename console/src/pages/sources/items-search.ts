import { PROVIDER_CHOICES, type ProviderId } from '../../api/provider-list.ts'
import { KINDS, type SourceKind } from './source-words.ts'

/** What the address of a list of items says: its filters, and the item that is open. */
export interface ItemsSearch {
  provider?: ProviderId
  kind?: SourceKind
  /** Part of a title. */
  title?: string
  item?: string
}

const TITLE_CHARACTERS_MAX = 200
const UUID = /^[0-9a-f-]{36}$/i

/** Reads the address of a list of items; what it does not know counts as not said. */
export function readItemsSearch(search: Record<string, unknown>): ItemsSearch {
  const provider = PROVIDER_CHOICES.find(({ value }) => value === search.provider)?.value
  const kind = KIND_CHOICES.find(({ value }) => value === search.kind)?.value
  const title = readTitle(search.title)
  const item = readId(search.item)
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(kind === undefined ? {} : { kind }),
    ...(title === undefined ? {} : { title }),
    ...(item === undefined ? {} : { item }),
  }
}

/** Reads the address of the import: the source that it goes into. */
export function readImportSearch(search: Record<string, unknown>): { source?: string } {
  const source = readId(search.source)
  return source === undefined ? {} : { source }
}

/** What looks like a number comes out of an address as one. */
function readTitle(given: unknown): string | undefined {
  const words = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : ''
  return words === '' ? undefined : words.slice(0, TITLE_CHARACTERS_MAX)
}

function readId(given: unknown): string | undefined {
  return typeof given === 'string' && UUID.test(given) ? given : undefined
}

/** The kinds to choose from, as a select takes them. */
export const KIND_CHOICES: { value: SourceKind; label: string }[] = [
  { value: 'document', label: `${KINDS.document}s` },
  { value: 'message', label: `${KINDS.message}s` },
  { value: 'file', label: `${KINDS.file}s` },
]
