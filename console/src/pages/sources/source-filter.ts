import { providerChoices, type ProviderId } from '../../api/provider-list.ts'
import { nameOf, type Source } from './source-words.ts'

/** The number of sources from which the list has a search. */
export const SEARCHED_FROM = 12

/** The search parameters of the Sources page. Filters combine with AND. */
export interface SourcesSearch {
  /** Words of the name, in any order and case. */
  q?: string
  /** Not named `provider`: the redirect after connecting an account uses that parameter. */
  from?: ProviderId
  state?: Source['status']
}

const WORDS_MAX = 100

export const STATE_CHOICES: readonly { value: Source['status']; label: string }[] = [
  { value: 'error', label: 'Failing' },
  { value: 'pending', label: 'Waiting' },
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Paused' },
]

/** Reads the search parameters and omits invalid ones. */
export function readSourcesSearch(search: Record<string, unknown>): SourcesSearch {
  // The router parses a name of digits as a number.
  const q = typeof search.q === 'number' ? String(search.q) : search.q
  const from = providerChoices().find(({ value }) => value === search.from)?.value
  const state = STATE_CHOICES.find(({ value }) => value === search.state)?.value
  return {
    ...(typeof q === 'string' && q.trim() !== '' ? { q: q.slice(0, WORDS_MAX) } : {}),
    ...(from === undefined ? {} : { from }),
    ...(state === undefined ? {} : { state }),
  }
}

/** The matching sources, in their original order. */
export function filterSources(sources: readonly Source[], { q, from, state }: SourcesSearch): Source[] {
  const words = (q ?? '').toLowerCase().split(/\s+/)
  return sources.filter(
    (source) =>
      (from === undefined || source.provider === from) &&
      (state === undefined || source.status === state) &&
      words.every((word) => nameOf(source).toLowerCase().includes(word)),
  )
}
