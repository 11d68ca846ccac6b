import { createHash } from 'node:crypto'
import { z } from 'zod'
import { MINUTE_MS } from '../../kernel/clock.ts'
import type { JsonValue } from '../adapter.ts'
import { parseCursor } from '../run-state.ts'

/** Search may still lack edits this close to the newest one, so the next run checks this range again. */
const OVERLAP_MS = 10 * MINUTE_MS
/** Notion rounds `last_edited_time` down to the minute, which hides a second edit within it. */
const MOST_SETTLED = 5_000
const MOST_FAILED = 2_000

/** An object still to be read. */
const reference = z.object({
  /** `object`: a page or a data source. */
  kind: z.enum(['page', 'data_source', 'database', 'object']),
  id: z.string(),
  /** Its location changed: read it although it is stored. */
  hasMoved: z.exactOptional(z.boolean()),
})
export type NotionRef = z.infer<typeof reference>

const cursorSchema = z.object({
  version: z.literal(1),
  /** The newest `last_edited_time` read so far; '' at first. */
  since: z.string(),
  /** Progress through the search results, newest first; null between runs. */
  pass: z
    .object({
      newest: z.string(),
      /** Notion's time when it began (ISO 8601); '' when unknown. */
      begun: z.string().default(''),
      /** Notion's cursor of the current result page, and which of its objects were read. */
      startCursor: z.string().nullable(),
      done: z.array(z.string()),
      /** The `last_edited_time` reached, in case Notion rejects its cursor. */
      reached: z.string(),
    })
    .nullable(),
  /** Objects near `since` that were read after the minute of their edit ended, with the time of that edit. */
  settled: z.record(z.string(), z.string()),
  /** Objects that contain pages, with a hash of their path: a changed hash means that their contents moved too. */
  containers: z.record(z.string(), z.string()),
  /** Objects that were public when they were read. */
  published: z.record(z.string(), z.literal(true)).default({}),
  pending: z.array(reference),
  /** Objects that could not be read; the next run retries them. */
  failed: z.array(reference),
  sweep: z.object({
    /** When all objects were last counted (epoch milliseconds), and how many requests that took. */
    at: z.number(),
    requests: z.number(),
    /** The count checks missing objects one by one and has reached this id; '' when none is left. */
    checkedTo: z.string(),
    /** When the current count began, and the last completed one (ISO 8601, Notion's time); '' for never. */
    begun: z.string().default(''),
    since: z.string().default(''),
  }),
})

export type NotionState = z.infer<typeof cursorSchema>

/** The state in a saved cursor; null gives a new one. @throws ProviderError `cursor_expired` */
export function readNotionCursor(cursor: JsonValue | null): NotionState {
  if (cursor === null) {
    const sweep = { at: 0, requests: 0, checkedTo: '', begun: '', since: '' }
    const lists = { settled: {}, containers: {}, published: {}, pending: [], failed: [] }
    return { version: 1, since: '', pass: null, ...lists, sweep }
  }
  return parseCursor(cursor, cursorSchema)
}

/**
 * Ends the pass through the search results. The next one stops at its newest edit, never in the future, and never after
 * its beginning: what was edited since then may have been read before.
 */
export function finishPass(state: NotionState, serverTime: Date): void {
  if (state.pass !== null) {
    const newest = newestOf(state.pass, serverTime.toISOString())
    if (newest > state.since) state.since = newest
  }
  state.pass = null
}

/** The newest edit of a pass, up to its beginning or, where that is unknown, `now`. */
function newestOf({ newest, begun }: NonNullable<NotionState['pass']>, now: string): string {
  const latest = begun === '' ? now : begun
  return newest < latest ? newest : latest
}

/** Where a pass through the search results may stop: everything edited earlier was read. '' means nowhere. */
export function overlapStart(since: string): string {
  return since === '' ? '' : new Date(Date.parse(since) - OVERLAP_MS).toISOString()
}

/** Whether an object is unchanged since it was last read. */
export function isSettled(state: NotionState, object: { id: string; last_edited_time: string }): boolean {
  return state.settled[object.id] === object.last_edited_time
}

/** Whether an object was public when it was read and is no longer, or the other way round. */
export function isPublishedOtherwise(
  { published }: NotionState,
  object: { id: string; public_url: string | null },
): boolean {
  return (published[object.id] ?? false) !== (object.public_url !== null)
}

/** Records an object just read, at Notion's time. */
export function settle(
  state: NotionState,
  object: { id: string; last_edited_time: string },
  serverTime: Date,
): void {
  const isOver = serverTime.getTime() >= Date.parse(object.last_edited_time) + MINUTE_MS
  if (isOver) state.settled[object.id] = object.last_edited_time
  else delete state.settled[object.id]
}

/** Keeps only the settled objects that the next run will meet, and bounds the failed ones. */
export function pruneNotionState(state: NotionState): void {
  const reached = state.pass === null ? '' : newestOf(state.pass, state.pass.newest)
  const newest = reached > state.since ? reached : state.since
  const start = overlapStart(newest)
  const kept = Object.entries(state.settled).filter(([, time]) => time >= start)
  if (kept.length < Object.keys(state.settled).length || kept.length > MOST_SETTLED) {
    state.settled = Object.fromEntries(kept.slice(0, MOST_SETTLED))
  }
  state.failed = state.failed.slice(-MOST_FAILED)
}

/** A short hash of a container's path and title. */
export function pathMark(path: readonly string[], title: string): string {
  return createHash('sha256')
    .update(JSON.stringify([path, title]))
    .digest('base64url')
    .slice(0, 10)
}
