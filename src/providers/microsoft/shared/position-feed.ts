import { z } from 'zod'
import type { Feed, FeedPage, Listed } from '../../feed.ts'
import type { JsonValue } from '../../adapter.ts'
import { parseCursor } from '../../run-state.ts'

/** What a request adds to a page. */
export interface Step<Entry> extends Pick<FeedPage<Entry>, 'listed'> {
  gone: readonly string[]
  /** Whether all changes of the part so far are read. */
  isRead?: boolean
}

export const NOTHING = { listed: [], gone: [] }

/** A page's items. Those in an unknown format have no entry, so they are looked up. */
export const listedIn = <Entry extends { id: string }>(
  entries: readonly Entry[],
  unknown: readonly string[],
  externalIdOf: (id: string) => string,
): Listed<Entry>[] => [
  ...entries.map((entry) => ({ externalId: externalIdOf(entry.id), entry })),
  ...unknown.map((id) => ({ externalId: externalIdOf(id), entry: null })),
]

/** The state of a part whose list and changes have different addresses. */
export const LinkedPart = z.object({
  /** The position of the changes that no run has read. */
  link: z.string(),
  /** The next page of everything in the part; null once all of it has been read. */
  crawl: z.string().nullable(),
})
export type LinkedPart = z.output<typeof LinkedPart>

/** An account's drives, folders or channels, each with its own delta query. The functions change the position. */
export interface Parts<Position, Part, Entry> extends Pick<
  Feed<Entry>,
  'read' | 'readersOf' | 'isWithinReach'
> {
  schema: z.ZodType<Position>
  empty(): Position
  /** Adds new parts and removes missing ones; called once a run. */
  match(position: Position): Promise<void> | void
  partsIn(position: Position): Readonly<Record<string, Part>>
  isCrawled(part: Part): boolean
  /** The next page of everything in a part. */
  crawl(position: Position, id: string, part: Part): Promise<Step<Entry>>
  /** The next page of a part's changes. */
  changes(position: Position, id: string, part: Part): Promise<Step<Entry>>
  /** The next result of comparing stored items with current ones; undefined if that is not needed. */
  survey(position: Position): Promise<Step<Entry> | undefined>
  isSurveyed(position: Position): boolean
}

export function createPositionFeed<Position extends JsonValue, Part, Entry>(
  parts: Parts<Position, Part, Entry>,
): Feed<Entry> {
  let isMatched = false
  let started = parts.empty()
  /** Parts whose changes this run has read. */
  const read = new Set<string>()

  async function match(position: Position): Promise<Position> {
    if (!isMatched) await parts.match(position)
    isMatched = true
    return position
  }

  const partsIn = (position: Position): [string, Part][] => Object.entries(parts.partsIn(position))

  /** The next page of the first part that needs one; undefined if there is none. */
  async function nextPage(position: Position, kind: 'crawl' | 'changes'): Promise<Step<Entry> | undefined> {
    const [id, part] =
      partsIn(position).find(([one, its]) => (kind === 'crawl' ? !parts.isCrawled(its) : !read.has(one))) ??
      []
    if (id === undefined || part === undefined) return undefined
    const step = await parts[kind](position, id, part)
    if (step.isRead === true) read.add(id)
    return step
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
      const { listed } = (await nextPage(position, 'crawl')) ?? NOTHING
      const isLast = partsIn(position).every(([, part]) => parts.isCrawled(part))
      return { listed, next: position, isLast, ...(isLast && { since: position }) }
    },
    async changes(since) {
      const position = await match(parseCursor(since, parts.schema))
      for (;;) {
        const step: Step<Entry> =
          (await nextPage(position, 'crawl')) ??
          (await nextPage(position, 'changes')) ??
          (await parts.survey(position)) ??
          NOTHING
        const { listed, gone, isRead } = step
        const isLast =
          parts.isSurveyed(position) &&
          partsIn(position).every(([id, part]) => parts.isCrawled(part) && read.has(id))
        // Most parts have no changes: they share a page.
        if (isLast || isRead !== true || listed.length + gone.length > 0)
          return { listed, gone, next: position, isLast }
      }
    },
    read: parts.read,
    ...(parts.readersOf && { readersOf: parts.readersOf }),
    ...(parts.isWithinReach && { isWithinReach: parts.isWithinReach }),
  }
}
