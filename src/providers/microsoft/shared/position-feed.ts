import type { z } from 'zod'
import type { Feed, FeedPage, Listed } from '../../feed.ts'
import type { JsonValue } from '../../adapter.ts'
import { parseCursor } from '../../run-state.ts'

/** What a request adds to a page; undefined: there was nothing to request. */
export type Step<Entry> = (Pick<FeedPage<Entry>, 'listed'> & { gone: string[] }) | undefined

/** A page's items. Those in an unknown format have no entry, so they are looked up. */
export const listedIn = <Entry extends { id: string }>(
  entries: readonly Entry[],
  unknown: readonly string[],
  externalIdOf: (id: string) => string,
): Listed<Entry>[] => [
  ...entries.map((entry) => ({ externalId: externalIdOf(entry.id), entry })),
  ...unknown.map((id) => ({ externalId: externalIdOf(id), entry: null })),
]

/** An account's drives, folders or channels, each with its own delta query. The functions change the position. */
export interface Parts<Position, Entry> extends Pick<Feed<Entry>, 'read' | 'readersOf'> {
  schema: z.ZodType<Position>
  empty(): Position
  /** Adds new parts and removes missing ones; called once a run. */
  match(position: Position): Promise<void> | void
  crawl(position: Position): Promise<Step<Entry>>
  isCrawled(position: Position): boolean
  /** The next changes, including the crawl of new parts. */
  changes(position: Position): Promise<Step<Entry>>
  isDone(position: Position): boolean
}

export function createPositionFeed<Position extends JsonValue, Entry>(
  parts: Parts<Position, Entry>,
): Feed<Entry> {
  let isMatched = false
  let started = parts.empty()

  async function match(position: Position): Promise<Position> {
    if (!isMatched) await parts.match(position)
    isMatched = true
    return position
  }

  return {
    async start() {
      started = await match(parts.empty())
      return started
    },
    async list(after) {
      const position = await match(
        after === null ? structuredClone(started) : parseCursor(after, parts.schema),
      )
      const step = await parts.crawl(position)
      const isLast = parts.isCrawled(position)
      return { listed: step?.listed ?? [], next: position, isLast, ...(isLast && { since: position }) }
    },
    async changes(since) {
      const position = await match(parseCursor(since, parts.schema))
      const step = await parts.changes(position)
      return { listed: [], gone: [], ...step, next: position, isLast: parts.isDone(position) }
    },
    read: parts.read,
    ...(parts.readersOf && { readersOf: parts.readersOf }),
  }
}
