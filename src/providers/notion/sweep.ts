import { HOUR_MS } from '../../kernel/clock.ts'
import type { ChangePage, ItemFailure } from '../adapter.ts'
import { emptyStep, type Step } from '../run-state.ts'
import { storedPages } from '../stored-ids.ts'
import { isPublishedOtherwise, overlapStart, pathMark, type NotionRef } from './cursor.ts'
import type { NotionObject } from './objects.ts'
import { rowsOf } from './rows.ts'
import { searchPages } from './search.ts'
import {
  addPending,
  checkStored,
  hasContent,
  pageOf,
  readObject,
  readReferences,
  type NotionSync,
  unvisited,
} from './read-objects.ts'
import { titleOf } from './tree.ts'

/** Every run counts everything while that takes no more requests than this. */
const CHEAP_REQUESTS = 10
/** Above that, it waits this long per request of the last count: a ninth of Notion's three requests a second. */
const PAUSE_PER_REQUEST_MS = 3_000
/** The longest such pause. */
const PAUSE_MS_MAX = 6 * HOUR_MS
/** Missing objects that a run checks; the next run continues. The first count has no bound. */
const CHECKS_PER_RUN = 1_000
const CHECKS_PER_PAGE = 50
/** The time of a count that must start over. */
export const NEVER = 0

/** Whether this run must count everything. */
export function isSweepDue(sync: NotionSync, isCrawl: boolean): boolean {
  const { at, requests, checkedTo, since } = sync.state.sweep
  const age = sync.run.serverTime().getTime() - at
  const pause = requests <= CHEAP_REQUESTS ? 0 : Math.min(requests * PAUSE_PER_REQUEST_MS, PAUSE_MS_MAX)
  return isCrawl || since === '' || checkedTo !== '' || age < 0 || age >= pause
}

/**
 * Compares what exists (search results and rows of data sources) with what is stored. It reads what is not stored: a
 * page shared just now but edited long ago is not among the newest results. It checks stored objects that the count
 * did not meet, since search misses pages: removes them when trashed or unshared, reads them when edited. Throws
 * ProviderError.
 */
export async function* sweepNotion(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state, run } = sync
  const isFirst = state.sweep.since === ''
  // Until the end: a run that dies midway counts again.
  state.sweep.at = NEVER
  if (state.sweep.checkedTo === '') state.sweep.begun = run.serverTime().toISOString()
  const count = await countObjects(sync)
  if (count.failures.length > 0) yield pageOf(sync, { ...emptyStep(), failures: count.failures })
  state.sweep.requests = count.requests
  const missing = await takeStored(sync, count.met)
  const unstored = [...count.met].map(([id, kind]): NotionRef => ({ kind, id }))
  yield* readReferences(sync, unvisited(sync, unstored))
  yield* lookAtOthers(sync, new Set([...missing, ...count.edited]), isFirst ? Infinity : CHECKS_PER_RUN)
  state.sweep.at = run.serverTime().getTime()
  if (state.sweep.checkedTo === '') state.sweep.since = state.sweep.begun
}

interface Count {
  /** The existing objects and their types. */
  met: Map<string, NotionRef['kind']>
  /** Rows edited since the last count that search does not list. */
  edited: string[]
  failures: ItemFailure[]
  requests: number
}

async function countObjects(sync: NotionSync): Promise<Count> {
  const { run, tree } = sync
  const count: Count = { met: new Map(), edited: [], failures: [], requests: 0 }
  const sources: string[] = []
  const containers: NotionObject[] = []
  for await (const { results, partial } of searchPages(run, null)) {
    count.requests += 1
    for (const { id, kind } of partial) if (kind !== 'database') count.met.set(id, kind)
    for (const object of results) {
      if (object.in_trash) continue
      tree.remember(object)
      count.met.set(object.id, object.object)
      if (object.object === 'data_source') sources.push(object.id)
      readAgainWhenPublished(sync, object)
      if (sync.state.containers[object.id] !== undefined) containers.push(object)
    }
  }
  for (const source of sources) await orFailure(sync, source, count, () => countRows(sync, source, count))
  for (const object of containers)
    await orFailure(sync, object.id, count, () => readAgainWhenMoved(sync, object))
  return count
}

async function countRows(sync: NotionSync, source: string, count: Count): Promise<void> {
  const editedFrom = overlapStart(sync.state.sweep.since)
  for await (const { id, kind, object } of rowsOf(sync.run, source, () => void (count.requests += 1))) {
    if (kind === 'database' || count.met.has(id)) continue
    count.met.set(id, kind)
    if (object === null) continue
    sync.tree.remember(object)
    readAgainWhenPublished(sync, object)
    if (object.last_edited_time >= editedFrom) count.edited.push(id)
  }
}

/** A moved page need not have been edited. */
async function readAgainWhenMoved(sync: NotionSync, object: NotionObject): Promise<void> {
  const { path } = await sync.tree.locate(object)
  if (sync.state.containers[object.id] === pathMark(path, titleOf(object))) return
  addPending(sync.state, { kind: object.object, id: object.id })
}

/** Publishing a page, or unpublishing it, changes no edit time: neither its own nor that of its subpages. */
function readAgainWhenPublished({ state }: NotionSync, object: NotionObject): void {
  if (isPublishedOtherwise(state, object)) addPending(state, { kind: object.object, id: object.id })
}

async function orFailure(
  sync: NotionSync,
  id: string,
  into: { failures: ItemFailure[] },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    into.failures.push(await sync.outage.failureOf(id, error))
  }
}

/** Removes stored objects from `met`; returns the stored ones that the count did not meet. */
async function takeStored(sync: NotionSync, met: Count['met']): Promise<string[]> {
  const missing: string[] = []
  for await (const ids of storedPages(sync.run.session, { from: '', to: null }))
    missing.push(...ids.filter((id) => !met.delete(id)))
  return missing
}

async function* lookAtOthers(
  sync: NotionSync,
  others: ReadonlySet<string>,
  most: number,
): AsyncGenerator<ChangePage> {
  const { sweep, failed } = sync.state
  // After the count, the run reads what an earlier one could not.
  const isRead = new Set(failed.map(({ id }) => id)).union(sync.visited)
  const todo = [...others].filter((id) => id > sweep.checkedTo && !isRead.has(id)).toSorted()
  let part = emptyStep()
  for (const [index, id] of todo.entries()) {
    if (index >= most) return
    await orFailure(sync, id, part, () => lookAt(sync, id, part))
    sweep.requests += 1
    sweep.checkedTo = index === todo.length - 1 ? '' : id
    if (part.discovered < sync.objectsPerPage && (index + 1) % CHECKS_PER_PAGE !== 0) continue
    yield pageOf(sync, part)
    part = emptyStep()
  }
  sweep.checkedTo = ''
  if (hasContent(part)) yield pageOf(sync, part)
}

async function lookAt(sync: NotionSync, id: string, part: Step): Promise<void> {
  const { outage, state } = sync
  const object = await checkStored(sync, id)
  if (object === null) {
    part.deletions.push(id)
    return
  }
  outage.passed()
  const isEdited = object.last_edited_time >= overlapStart(state.sweep.since)
  if (isEdited || isPublishedOtherwise(state, object)) await readObject(sync, object, part)
}
