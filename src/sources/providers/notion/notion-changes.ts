import { createOutageGuard } from '../../outage-guard.ts'
import { ProviderError, type ChangePage, type ListChangesInput } from '../../provider.ts'
import type { NotionObject, NotionRun } from './notion-client.ts'
import {
  finishPass,
  isSettled,
  overlapStart,
  readNotionCursor,
  settle,
  type NotionRef,
} from './notion-cursor.ts'
import { createNotionPeople } from './notion-people.ts'
import { searchPages } from './notion-search.ts'
import { isSweepDue, NEVER, sweepNotion } from './notion-sweep.ts'
import {
  emptyPart,
  pageOf,
  readObject,
  readReference,
  type NotionPart,
  type NotionSync,
} from './notion-sync.ts'
import { createNotionTree } from './notion-tree.ts'

/**
 * What changed since `cursor`: the search results, edited last first, down to what has been read before; what lies in the
 * trash; from time to time a count of everything; and what these led to (children, rows, pages shared just now). Throws
 * ProviderError.
 */
export async function* listNotionChanges(
  run: NotionRun,
  input: ListChangesInput,
  objectsPerPage: number,
): AsyncGenerator<ChangePage> {
  const state = readNotionCursor(input.cursor)
  const outage = createOutageGuard()
  const sync: NotionSync = {
    run,
    state,
    outage,
    objectsPerPage,
    visited: new Set(),
    tree: createNotionTree(run),
    person: createNotionPeople(run),
  }
  const isCrawl = state.since === ''
  // Those that fail again are not tried twice in one run.
  const failed = [...state.failed]
  yield* readEdited(sync)
  yield* removeTrashed(sync)
  if (isSweepDue(sync, isCrawl)) yield* sweepNotion(sync)
  yield* readReferences(sync, failed)
  yield* readPending(sync)
  yield { ...pageOf(sync, emptyPart()), complete: true }
}

async function* readEdited(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state } = sync
  state.pass ??= { newest: '', startCursor: null, done: [], reached: '' }
  try {
    yield* readResults(sync)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'cursor_expired') throw error
    // From the first page again, past what has been read by its time.
    Object.assign(state.pass, { startCursor: null, done: [] })
    yield* readResults(sync)
  }
}

/** Goes on through the search results until those edited before the last run. */
async function* readResults(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state, run, objectsPerPage } = sync
  const pass = state.pass
  if (pass === null) return
  const stop = overlapStart(state.since)
  const newestBefore = pass.newest
  let part = emptyPart()
  for await (const { results, nextCursor } of searchPages(run, pass.startCursor)) {
    for (const object of results) sync.tree.remember(object)
    for (const object of results) {
      if (object.last_edited_time < stop) {
        finishPass(state)
        if (hasContent(part)) yield pageOf(sync, part)
        return
      }
      if (object.last_edited_time > pass.newest) pass.newest = object.last_edited_time
      if (!isToBeRead(sync, object, newestBefore)) continue
      const readAt = run.serverTime()
      if (await readObject(sync, object, part)) settle(state, object, readAt)
      pass.done.push(object.id)
      if (part.discovered < objectsPerPage) continue
      yield pageOf(sync, part)
      part = emptyPart()
    }
    pass.startCursor = nextCursor
    pass.done = []
    pass.reached = results.at(-1)?.last_edited_time ?? pass.reached
  }
  finishPass(state)
  if (hasContent(part)) yield pageOf(sync, part)
}

function isToBeRead(sync: NotionSync, object: NotionObject, newestBefore: string): boolean {
  const { pass } = sync.state
  if (pass === null || pass.done.includes(object.id) || isSettled(sync.state, object)) return false
  const time = object.last_edited_time
  // After a second start from the first page: between what was the newest and what was reached, all has been read.
  const isRepeated =
    pass.startCursor === null && pass.reached !== '' && time > pass.reached && time <= newestBefore
  return !isRepeated
}

/** Removes what was put into the trash of late: as long as a page of the trash's contents holds something stored. */
async function* removeTrashed(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { run, state } = sync
  try {
    for await (const { results } of searchPages(run, null, true)) {
      const part = emptyPart()
      for (const { id } of results) {
        const stored = await run.session.storedIds({ from: id, to: `${id}\u0001`, limit: 1 })
        if (stored.length > 0) part.deletions.push(id)
      }
      if (part.deletions.length === 0) return
      // What lies in a trashed page went with it, without a word.
      if (part.deletions.some((id) => state.containers[id] !== undefined)) state.sweep.at = NEVER
      yield pageOf(sync, part)
    }
  } catch (error) {
    // Where the search knows no trash, counting everything finds what is gone.
    if (!(error instanceof ProviderError) || error.code !== 'validation_error') throw error
  }
}

async function* readReferences(sync: NotionSync, refs: readonly NotionRef[]): AsyncGenerator<ChangePage> {
  for (const ref of refs) {
    if (sync.visited.has(ref.id)) continue
    const part = emptyPart()
    await readReference(sync, ref, part)
    if (hasContent(part)) yield pageOf(sync, part)
  }
}

/** Reads what the run came across, and what that leads to, until nothing is left. */
async function* readPending(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state, objectsPerPage } = sync
  let part = emptyPart()
  for (let ref = state.pending.shift(); ref !== undefined; ref = state.pending.shift()) {
    await readReference(sync, ref, part)
    if (part.discovered < objectsPerPage) continue
    yield pageOf(sync, part)
    part = emptyPart()
  }
  if (hasContent(part)) yield pageOf(sync, part)
}

const hasContent = (part: NotionPart) =>
  part.upserts.length + part.deletions.length + part.failures.length > 0
