import pLimit from 'p-limit'
import { z } from 'zod'
import { createOutageGuard } from './outage-guard.ts'
import {
  type ChangePage,
  type ItemFailure,
  type ItemRead,
  type JsonValue,
  type ListChangesInput,
  ProviderError,
  type ProviderItem,
  type ProviderSession,
  type SourceReader,
} from './adapter.ts'

const READ_AT_ONCE = 4
const RETRIED_AT_MOST = 200
const TRIES_MAX = 5

/** A possible item. `entry` is its list entry, if it says anything about the item. */
export interface Listed<Entry> {
  externalId: string
  entry: Entry | null
}

export interface FeedPage<Entry> {
  listed: readonly Listed<Entry>[]
  /** Where the next page starts. */
  next: JsonValue
  isLast: boolean
}

/** An item with nothing to read. */
export interface SkippedItem {
  title?: string
  skipped: string
}

/** An item; or why there is nothing to read; or an item and why parts of it are not read. */
export type FeedItem = ProviderItem | SkippedItem | { item: ProviderItem; skipped: string | null }

/** A provider as a list of everything and a list of changes, which is all that {@link readingFeed} needs. */
export interface Feed<Entry> {
  /** The position from which `changes` reports everything that happens from now on. */
  start(): Promise<JsonValue>
  /** A page of everything; `after` is null for the first. `since` of the last page replaces the start of the changes. */
  list(after: JsonValue | null): Promise<FeedPage<Entry> & { since?: JsonValue }>
  /** A page of changes; `gone` were deleted or can no longer be read. @throws ProviderError `cursor_expired` */
  changes(since: JsonValue): Promise<FeedPage<Entry> & { gone: readonly string[] }>
  /**
   * An item, null if it does not exist, or why it has nothing to read. `entry` null: not in the list. @throws
   * ProviderError
   */
  read(externalId: string, entry: Entry | null): Promise<FeedItem | null>
}

const Cursor = z.object({
  since: z.json(),
  crawl: z.object({ name: z.string(), after: z.json() }).nullable(),
  /** Items that could not be read. Later runs try them again. */
  retry: z.array(z.object({ id: z.string(), tries: z.number().int() })),
})
type Cursor = z.output<typeof Cursor>

type Step = Required<Pick<ChangePage, 'upserts' | 'deletions' | 'failures' | 'skipped' | 'discovered'>>

/** The reading part of an adapter. `open` starts a run. */
export function readingFeed<Entry>(
  open: (session: ProviderSession) => Promise<Feed<Entry>>,
): Required<Pick<SourceReader, 'listChanges' | 'readItem'>> {
  return {
    async *listChanges(session, input) {
      session.signal.throwIfAborted()
      yield* readFeed(session, input, await open(session))
    },
    readItem: async (session, { externalId }) => await readFeedItem(await open(session), externalId),
  }
}

/** A run's pages. The position of changes is read before a full crawl; unreadable items are recorded and retried. */
async function* readFeed<Entry>(
  session: ProviderSession,
  input: ListChangesInput,
  feed: Feed<Entry>,
): AsyncGenerator<ChangePage> {
  const state: Cursor = input.cursor === null ? await startCrawl(session, feed) : parseCursor(input.cursor)
  const read = createReader(session, feed, state)
  const page = (step: Step, complete: boolean, snapshot: string | null): ChangePage => ({
    ...step,
    // A copy: the state changes while the engine stores the page.
    cursor: structuredClone(state),
    complete,
    snapshot,
  })
  if (state.crawl !== null) {
    const { name, after } = state.crawl
    for (let position = after; ;) {
      const { listed, next, isLast, since } = await feed.list(position)
      const step = await read(listed)
      position = next
      if (isLast && since !== undefined) state.since = since
      state.crawl = isLast ? null : { name, after: next }
      yield page(step, isLast, name)
      if (isLast) return
    }
  }
  const waiting = state.retry.map(({ id: externalId }) => ({ externalId, entry: null }))
  if (waiting.length > 0) yield page(await read(waiting), false, null)
  for (;;) {
    const { listed, next, isLast, gone } = await feed.changes(state.since)
    const { deletions, ...step } = await read(listed)
    state.since = next
    state.retry = state.retry.filter(({ id }) => !gone.includes(id))
    yield page({ ...step, deletions: [...deletions, ...gone] }, isLast, null)
    if (isLast) return
  }
}

/** One stored item of a feed, for `readItem`. */
export async function readFeedItem<Entry>(
  feed: Pick<Feed<Entry>, 'read'>,
  externalId: string,
): Promise<ItemRead> {
  const { item, skips } = partsOf(externalId, await feed.read(externalId, null))
  return item === null
    ? { upserts: [], deletions: [externalId], failures: [], skipped: skips }
    : { upserts: [item], deletions: [], failures: [], skipped: skips }
}

function partsOf(
  externalId: string,
  read: FeedItem | null,
): { item: ProviderItem | null; skips: ItemFailure[] } {
  if (read === null) return { item: null, skips: [] }
  if ('body' in read) return { item: read, skips: [] }
  const item = 'item' in read ? read.item : null
  const title = 'item' in read ? read.item.title : read.title
  if (read.skipped === null) return { item, skips: [] }
  return { item, skips: [{ externalId, ...(title != null && { title }), message: read.skipped }] }
}

async function startCrawl<Entry>(session: ProviderSession, feed: Feed<Entry>): Promise<Cursor> {
  const mark = Math.floor(session.random() * 1e9).toString(36)
  const name = `${session.clock.now().toISOString()}-${mark}`
  return { since: await feed.start(), crawl: { name, after: null }, retry: [] }
}

/** The position of a feed in a run's cursor, also during a crawl; undefined if it has none of this shape. */
export function positionIn<Position>(
  cursor: JsonValue | null,
  schema: z.ZodType<Position>,
): Position | undefined {
  const { data } = Cursor.safeParse(cursor)
  return schema.safeParse(data?.crawl?.after ?? data?.since).data
}

function parseCursor(cursor: JsonValue): Cursor {
  const { data } = Cursor.safeParse(cursor)
  if (data === undefined) throw new ProviderError('cursor_expired', 'The cursor belongs to another version')
  return data
}

/** Reads the items of a list, several at once, and records those to retry. */
function createReader<Entry>(session: ProviderSession, feed: Feed<Entry>, state: Cursor) {
  const guard = createOutageGuard(session.signal)
  const limit = pLimit(READ_AT_ONCE)
  const attempt = async ({ externalId, entry }: Listed<Entry>) => {
    session.signal.throwIfAborted()
    try {
      const parts = partsOf(externalId, await feed.read(externalId, entry))
      guard.passed()
      return { externalId, ...parts }
    } catch (error) {
      return { externalId, item: null, skips: [], failure: guard.failureOf(externalId, error) }
    }
  }
  return async (listed: readonly Listed<Entry>[]): Promise<Step> => {
    const upserts: ProviderItem[] = []
    const deletions: string[] = []
    const failures: ItemFailure[] = []
    const skipped: ItemFailure[] = []
    for (const { externalId, item, skips, failure } of await Promise.all(
      listed.map((one) => limit(attempt, one)),
    )) {
      state.retry = retriesAfter(state.retry, externalId, failure !== undefined)
      if (failure !== undefined) failures.push(failure)
      else if (item !== null) upserts.push(item)
      else deletions.push(externalId)
      skipped.push(...skips)
    }
    return { upserts, deletions, failures, skipped, discovered: listed.length }
  }
}

function retriesAfter(list: Cursor['retry'], id: string, hasFailed: boolean): Cursor['retry'] {
  const others = list.filter((entry) => entry.id !== id)
  if (!hasFailed) return others
  const tries = (list.find((entry) => entry.id === id)?.tries ?? 0) + 1
  if (tries >= TRIES_MAX) return others
  // So many failures suggest an outage: the run must be retried, or items would be lost.
  if (others.length >= RETRIED_AT_MOST)
    throw new ProviderError('unavailable', `More than ${RETRIED_AT_MOST} items cannot be read`)
  return [...others, { id, tries }]
}
