import { z } from 'zod'
import { inParts } from '../kernel/in-parts.ts'
import { mapBounded } from './map-bounded.ts'
import { createOutageGuard, isUnavailable, type OutageGuard } from './outage-guard.ts'
import { crawlName, emptyStep, parseCursor, RetryList, retryLater, type Step } from './run-state.ts'
import {
  type AccessPolicy,
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
/** Items read between two checks of how much text is in memory. */
const ITEMS_A_CHECK = 24
/** A list with longer texts together is yielded in parts, so that many huge items do not fill the memory. */
const CHARACTERS_HELD_MAX = 8_000_000

/** A possible item. `entry` is its list entry, if it says anything about the item. */
export interface Listed<Entry> {
  externalId: string
  entry: Entry | null
}

export interface FeedPage<Entry> {
  listed: readonly Listed<Entry>[]
  /** What the list could not reach. Not retried one by one, since the next list meets it again. */
  unreachable?: readonly ItemFailure[]
  /** Where the next page starts. */
  next: JsonValue
  isLast: boolean
}

/** An item with nothing to read. */
export interface SkippedItem {
  title?: string
  skipped: string
}

/** An item and why parts of it are not read. */
export interface PartialItem {
  item: ProviderItem
  skipped: string | null
  /** Parts that could not be read. */
  failures?: readonly ItemFailure[]
  /** Whether a part got no answer, so that a later run reads the item again. */
  isUnfinished?: boolean
}

/** An item; or why there is nothing to read; or an item without some of its parts. */
export type FeedItem = ProviderItem | SkippedItem | PartialItem

/** A provider as a list of everything and a list of changes, which is all that {@link readingFeed} needs. */
export interface Feed<Entry> {
  /**
   * The position from which `changes` reports everything that happens from now on. In a run with many unanswered items,
   * whether it succeeds distinguishes them from an outage.
   */
  start(): Promise<JsonValue>
  /** A page of everything; `after` is null for the first. Its `since` replaces the start of the changes so far. */
  list(after: JsonValue | null, since: JsonValue): Promise<FeedPage<Entry> & { since?: JsonValue }>
  /** A page of changes; `gone` were deleted or can no longer be read. @throws ProviderError `cursor_expired` */
  changes(since: JsonValue): Promise<FeedPage<Entry> & { gone: readonly string[] }>
  /**
   * An item, null if it does not exist, or why it has nothing to read. `entry` null: not in the list. @throws
   * ProviderError
   */
  read(externalId: string, entry: Entry | null): Promise<FeedItem | null>
  /**
   * Whether the account reads the drive, channel or repository of an item now. If it does not, only a run removes the
   * item: with access back before that run, none would read the item again.
   */
  isWithinReach?(externalId: string): boolean | Promise<boolean>
  /** The current readers of an item that cannot be read; null: nobody. Absent: its readers are those of a group. */
  readersOf?(externalId: string): Promise<AccessPolicy | null>
}

const Cursor = z.object({
  since: z.json(),
  crawl: z.object({ name: z.string(), after: z.json() }).nullable(),
  retry: RetryList,
})
type Cursor = z.output<typeof Cursor>

/** The reading part of an adapter. `open` starts a run. */
export function readingFeed<Entry>(
  open: (session: ProviderSession) => Promise<Feed<Entry>>,
): Required<Pick<SourceReader, 'listChanges' | 'readItem'>> {
  return {
    async *listChanges(session, input) {
      session.signal.throwIfAborted()
      const probe = async () => await (await open(session)).start()
      yield* readFeed(session, input, await open(session), probe)
    },
    readItem: async (session, { externalId }) => await readFeedItem(await open(session), externalId),
  }
}

/** A run's pages. The position of changes is read before a full crawl; unreadable items are recorded and retried. */
async function* readFeed<Entry>(
  session: ProviderSession,
  input: ListChangesInput,
  feed: Feed<Entry>,
  probe: () => Promise<unknown>,
): AsyncGenerator<ChangePage> {
  const state: Cursor =
    input.cursor === null ? await startCrawl(session, feed) : parseCursor(input.cursor, Cursor)
  const page = (step: Step, complete: boolean, snapshot: string | null): ChangePage => ({
    ...step,
    // A copy: the state changes while the engine stores the page.
    cursor: structuredClone(state),
    complete,
    snapshot,
  })
  const guard = createOutageGuard(session.signal, probe)
  const read = createReader({ session, feed, state, guard, page })
  if (state.crawl !== null) {
    const { name, after } = state.crawl
    for (let position = after; ;) {
      const found = await feed.list(position, state.since)
      const { next, isLast, since } = found
      const step = yield* read(found, name)
      position = next
      if (since !== undefined) state.since = since
      state.crawl = isLast ? null : { name, after: next }
      yield page(step, isLast, name)
      if (isLast) return
    }
  }
  const waiting = state.retry.map(({ id: externalId }) => ({ externalId, entry: null }))
  if (waiting.length > 0) yield page(yield* read({ listed: waiting }, null), false, null)
  for (;;) {
    const found = await feed.changes(state.since)
    const { next, isLast, gone } = found
    const { deletions, ...step } = yield* read(found, null)
    state.since = next
    state.retry = state.retry.filter(({ id }) => !gone.includes(id))
    yield page({ ...step, deletions: [...deletions, ...gone] }, isLast, null)
    if (isLast) return
  }
}

/** One stored item of a feed, for `readItem`. @throws ProviderError */
export async function readFeedItem<Entry>(
  feed: Pick<Feed<Entry>, 'read' | 'isWithinReach'>,
  externalId: string,
): Promise<ItemRead> {
  if ((await feed.isWithinReach?.(externalId)) === false) throw outOfReach()
  const { isUnfinished: _isUnfinished, ...read } = outcomeOf(externalId, await feed.read(externalId, null))
  return read
}

/** For `readItem`: whether the item still exists is unknown. */
export const outOfReach = (): ProviderError =>
  new ProviderError('rejected', 'The account cannot open the place of this item now; the next sync decides')

interface Outcome extends Required<ItemRead> {
  isUnfinished: boolean
}

function outcomeOf(externalId: string, read: FeedItem | null): Outcome {
  const parts: Partial<PartialItem> & { title?: string } =
    read === null ? {} : 'body' in read ? { item: read } : read
  const { item, title = item?.title, skipped = null, failures = [], isUnfinished = false } = parts
  return {
    upserts: item === undefined ? [] : [item],
    deletions: item === undefined ? [externalId] : [],
    failures: [...failures],
    skipped:
      skipped === null ? [] : [{ externalId, ...(title !== undefined && { title }), message: skipped }],
    isUnfinished,
  }
}

async function startCrawl<Entry>(session: ProviderSession, feed: Feed<Entry>): Promise<Cursor> {
  return { since: await feed.start(), crawl: { name: crawlName(session), after: null }, retry: [] }
}

/** The position of a feed in a run's cursor, also during a crawl; undefined if it has none of this shape. */
export function positionIn<Position>(
  cursor: JsonValue | null,
  schema: z.ZodType<Position>,
): Position | undefined {
  const { data } = Cursor.safeParse(cursor)
  return schema.safeParse(data?.crawl?.after ?? data?.since).data
}

/** Reads the items of a list, several at once, and records those to retry. */
function createReader<Entry>({
  session,
  feed,
  state,
  guard,
  page,
}: {
  session: ProviderSession
  feed: Pick<Feed<Entry>, 'read' | 'readersOf'>
  state: Cursor
  guard: OutageGuard
  page: (step: Step, complete: boolean, snapshot: string | null) => ChangePage
}) {
  const readersOf = async (externalId: string): Promise<Pick<ItemFailure, 'accessPolicy'>> => {
    if (feed.readersOf === undefined) return {}
    // Without an answer they stay as they were stored.
    return await feed.readersOf(externalId).then(
      (accessPolicy) => ({ accessPolicy }),
      () => ({}),
    )
  }
  const attempt = async ({ externalId, entry }: Listed<Entry>) => {
    session.signal.throwIfAborted()
    try {
      const outcome = outcomeOf(externalId, await feed.read(externalId, entry))
      guard.passed()
      return { ...outcome, externalId, isRefused: false }
    } catch (error) {
      const failure = { ...(await guard.failureOf(externalId, error)), ...(await readersOf(externalId)) }
      const failed = { ...emptyStep(), failures: [failure], isUnfinished: true }
      return { ...failed, externalId, isRefused: !isUnavailable(error) }
    }
  }
  const readInto = async (step: Step, listed: readonly Listed<Entry>[]): Promise<void> => {
    for (const outcome of await mapBounded(listed, READ_AT_ONCE, attempt)) {
      const { externalId, isUnfinished, isRefused, ...read } = outcome
      state.retry = isUnfinished
        ? retryLater(state.retry, externalId, isRefused)
        : state.retry.filter(({ id }) => id !== externalId)
      step.upserts.push(...read.upserts)
      step.deletions.push(...read.deletions)
      step.failures.push(...read.failures)
      step.skipped.push(...read.skipped)
    }
  }
  /** Yields what is read before the last of the list, and returns the rest. Only the rest counts as discovered. */
  return async function* (
    { listed, unreachable = [] }: Pick<FeedPage<Entry>, 'listed' | 'unreachable'>,
    snapshot: string | null,
  ): AsyncGenerator<ChangePage, Step> {
    let step: Step = { ...emptyStep(), failures: [...unreachable] }
    for (const part of inParts(listed, ITEMS_A_CHECK)) {
      const held = step.upserts.reduce((sum, { body }) => sum + body.length, 0)
      if (held > CHARACTERS_HELD_MAX) {
        yield page(step, false, snapshot)
        step = emptyStep()
      }
      await readInto(step, part)
    }
    return { ...step, discovered: listed.length }
  }
}
