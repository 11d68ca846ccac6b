import { z } from 'zod'
import { type ChangePage, type JsonValue, ProviderError, type ProviderSession } from './adapter.ts'

const RETRIED_AT_MOST = 200
/** Of items that the provider refuses, which says nothing about the others. */
const REFUSED_AT_MOST = 100
const TRIES_MAX = 5

/** What a run has read since its last page. */
export type Step = Required<Pick<ChangePage, 'upserts' | 'deletions' | 'failures' | 'skipped' | 'discovered'>>

export const emptyStep = (): Step => ({
  upserts: [],
  deletions: [],
  failures: [],
  skipped: [],
  discovered: 0,
})

/** A unique name for a full crawl: its start and a random suffix. */
export function crawlName({ clock, random }: Pick<ProviderSession, 'clock' | 'random'>): string {
  return `${clock.now().toISOString()}-${Math.floor(random() * 1e9).toString(36)}`
}

/** The state in a saved cursor. @throws ProviderError `cursor_expired` if an earlier version of the service saved it */
export function parseCursor<Schema extends z.ZodType>(cursor: JsonValue, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(cursor)
  if (parsed.success) return parsed.data
  throw new ProviderError('cursor_expired', 'The saved position cannot be read; a full resync is required', {
    cause: parsed.error,
  })
}

/** Items that could not be read. Later runs try them again. */
export const RetryList = z.array(z.object({ id: z.string(), tries: z.number().int() }))
export type RetryList = z.output<typeof RetryList>

/**
 * Adds an item to retry, unless it was tried too often, or was refused like many others. @throws ProviderError
 * `unavailable` when the list is full
 */
export function retryLater(list: RetryList, id: string, isRefused = false): RetryList {
  const others = list.filter((entry) => entry.id !== id)
  const tries = (list.find((entry) => entry.id === id)?.tries ?? 0) + 1
  if (tries >= TRIES_MAX || (isRefused && others.length >= REFUSED_AT_MOST)) return others
  // So many failures suggest an outage: the run must be retried, or items would be lost.
  if (others.length >= RETRIED_AT_MOST)
    throw new ProviderError('unavailable', `More than ${RETRIED_AT_MOST} items cannot be read`)
  return [...others, { id, tries }]
}
