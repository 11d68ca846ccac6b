import { providerChoices, type ProviderId } from '../../api/provider-list.ts'
import { nameOf, type Source } from './source-words.ts'

/** From so many on a list of sources can be searched. */
export const SEARCHED_FROM = 12

/** What the address of the list of sources says; of several all have to hold. */
export interface SourcesSearch {
  /** Words that a name has, all of them, in any order and case. */
  q?: string
  /** Not `provider`: the way back from a provider has that in the address. */
  from?: ProviderId
  state?: Source['status']
}

const WORDS_MAX = 100

/** The states to choose from, in the words of the list. */
export const STATE_CHOICES: readonly { value: Source['status']; label: string }[] = [
  { value: 'error', label: 'Failing' },
  { value: 'pending', label: 'Waiting' },
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Paused' },
]

/** Reads the address of the list of sources; what it does not know counts as not said. */
export function readSourcesSearch(search: Record<string, unknown>): SourcesSearch {
  // A name of digits alone is read as a number from the address.
  const q = typeof search.q === 'number' ? String(search.q) : search.q
  const from = providerChoices().find(({ value }) => value === search.from)?.value
  const state = STATE_CHOICES.find(({ value }) => value === search.state)?.value
  return {
    ...(typeof q === 'string' && q.trim() !== '' ? { q: q.slice(0, WORDS_MAX) } : {}),
    ...(from === undefined ? {} : { from }),
    ...(state === undefined ? {} : { state }),
  }
}

/** The sources that a search lets through, in their order. */
export function filterSources(sources: readonly Source[], { q, from, state }: SourcesSearch): Source[] {
  const words = (q ?? '').toLowerCase().split(/\s+/)
  return sources.filter(
    (source) =>
      (from === undefined || source.provider === from) &&
      (state === undefined || source.status === state) &&
      words.every((word) => nameOf(source).toLowerCase().includes(word)),
  )
}
