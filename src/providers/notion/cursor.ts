import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ProviderError, type JsonValue } from '../provider.ts'

/** Edits this close to the newest one may still be missing from the search; they are looked at again. */
const OVERLAP_MS = 10 * 60_000
/** Notion rounds `last_edited_time` down to the minute: within it, a second edit leaves no trace. */
const MINUTE_MS = 60_000
const MOST_SETTLED = 5_000
const MOST_FAILED = 2_000

/** An object still to be read. */
const reference = z.object({
  kind: z.enum(['page', 'data_source', 'database']),
  id: z.string(),
  /** Its place has changed: it is to be read although it is stored. */
  hasMoved: z.exactOptional(z.boolean()),
})
export type NotionRef = z.infer<typeof reference>

const cursorSchema = z.object({
  version: z.literal(1),
  /** The newest `last_edited_time` of all that has been read; '' at first. */
  since: z.string(),
  /** The way through the search results, newest first; null between runs. */
  pass: z
    .object({
      newest: z.string(),
      /** Notion's cursor of the page of results under way, and what of it has been read. */
      startCursor: z.string().nullable(),
      done: z.array(z.string()),
      /** The `last_edited_time` reached, for when Notion no longer takes its cursor. */
      reached: z.string(),
    })
    .nullable(),
  /** Objects near `since` that were read after the minute of their edit was over, with the time of that edit. */
  settled: z.record(z.string(), z.string()),
  /** What holds other pages, with a hash of its path: when that changes, what it holds has moved with it. */
  containers: z.record(z.string(), z.string()),
  pending: z.array(reference),
  /** Could not be read: tried again by the next run. */
  failed: z.array(reference),
  sweep: z.object({
    /** When all objects were last counted (epoch milliseconds), and how many requests that took. */
    at: z.number(),
    requests: z.number(),
    /** The id up to which those not found were looked at one by one; '' when all were. */
    checkedTo: z.string(),
    /** When the count under way began, and the last one that came to its end (ISO 8601, Notion's time); '' for never. */
    begun: z.string().default(''),
    since: z.string().default(''),
  }),
})

/** Where a Notion source stands. */
export type NotionState = z.infer<typeof cursorSchema>

/** The state a saved cursor holds; a new one for null. Throws ProviderError `cursor_expired` on what is no cursor of ours. */
export function readNotionCursor(cursor: JsonValue | null): NotionState {
  if (cursor === null) {
    const sweep = { at: 0, requests: 0, checkedTo: '', begun: '', since: '' }
    return { version: 1, since: '', pass: null, settled: {}, containers: {}, pending: [], failed: [], sweep }
  }
  const parsed = cursorSchema.safeParse(cursor)
  if (!parsed.success)
    throw new ProviderError('cursor_expired', 'The saved position cannot be read; a full resync is needed')
  return parsed.data
}

/** The state as it is now, to be saved with a page. */
export function writeNotionCursor(state: NotionState): JsonValue {
  return structuredClone(state)
}

/**
 * The way through the search results is at its end: what was newest on it is where the next one stops, but not in the future
 * (by Notion's clock), where no later edit would be found.
 */
export function finishPass(state: NotionState, serverTime: Date): void {
  if (state.pass !== null) {
    const now = serverTime.toISOString()
    const newest = state.pass.newest < now ? state.pass.newest : now
    if (newest > state.since) state.since = newest
  }
  state.pass = null
}

/** Where looking through the search results may stop: what was edited before has been read. '' means nowhere. */
export function overlapStart(since: string): string {
  return since === '' ? '' : new Date(Date.parse(since) - OVERLAP_MS).toISOString()
}

/** Whether an object is as it was when last read. */
export function isSettled(state: NotionState, object: { id: string; last_edited_time: string }): boolean {
  return state.settled[object.id] === object.last_edited_time
}

/** Notes an object just read, at Notion's own time. */
export function settle(
  state: NotionState,
  object: { id: string; last_edited_time: string },
  serverTime: Date,
): void {
  const isOver = serverTime.getTime() >= Date.parse(object.last_edited_time) + MINUTE_MS
  if (isOver) state.settled[object.id] = object.last_edited_time
  else delete state.settled[object.id]
}

/** Keeps of the settled objects those that the next run will meet again, and bounds what failed. */
export function pruneNotionState(state: NotionState): void {
  const newest = state.pass !== null && state.pass.newest > state.since ? state.pass.newest : state.since
  const start = overlapStart(newest)
  const kept = Object.entries(state.settled).filter(([, time]) => time >= start)
  if (kept.length < Object.keys(state.settled).length || kept.length > MOST_SETTLED) {
    state.settled = Object.fromEntries(kept.slice(0, MOST_SETTLED))
  }
  state.failed = state.failed.slice(-MOST_FAILED)
}

/** A short hash of a container's place and name. */
export function pathMark(path: readonly string[], title: string): string {
  return createHash('sha256')
    .update(JSON.stringify([path, title]))
    .digest('base64url')
    .slice(0, 10)
}
