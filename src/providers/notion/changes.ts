import { z } from 'zod'
import { createOutageGuard } from '../outage-guard.ts'
import {
  isRejected,
  ProviderError,
  type ChangePage,
  type ItemRead,
  type JsonValue,
  type ListChangesInput,
} from '../adapter.ts'
import { emptyStep } from '../run-state.ts'
import { isStored } from '../stored-ids.ts'
import type { NotionRun } from './client.ts'
import { createNotionReader } from './content.ts'
import {
  finishPass,
  isSettled,
  overlapStart,
  readNotionCursor,
  settle,
  type NotionRef,
  type NotionState,
} from './cursor.ts'
import type { NotionObject } from './objects.ts'
import { createNotionPeople } from './people.ts'
import { searchPages } from './search.ts'
import { isSweepDue, NEVER, sweepNotion } from './sweep.ts'
import {
  addIfNew,
  hasContent,
  pageOf,
  readObject,
  readReferences,
  readStored,
  type NotionSync,
  unvisited,
} from './read-objects.ts'
import { createNotionTree } from './tree.ts'

/** Pages of 100 trashed objects that each run checks: trashing an object need not move it to the first page. */
const TRASH_PAGES = 5

/** What changed since `cursor`: recent results, trash, at times everything, and their parts. @throws ProviderError */
export async function* listNotionChanges(
  run: NotionRun,
  input: ListChangesInput,
  objectsPerPage: number,
): AsyncGenerator<ChangePage> {
  const sync = startSync(run, input.cursor, objectsPerPage)
  const { state } = sync
  const isCrawl = state.since === ''
  // A copy: objects that fail again are not retried in this run.
  const failed = [...state.failed]
  yield* readEdited(sync)
  yield* removeTrashed(sync)
  if (isSweepDue(sync, isCrawl)) yield* sweepNotion(sync)
  yield* readReferences(sync, unvisited(sync, failed))
  yield* readReferences(sync, pendingIn(state))
  yield { ...pageOf(sync, emptyStep()), complete: true }
}

function startSync(run: NotionRun, cursor: JsonValue | null, objectsPerPage: number): NotionSync {
  const people = createNotionPeople(run)
  return {
    run,
    state: readNotionCursor(cursor),
    outage: createOutageGuard(run.session.signal, () => run.call('users/me', z.unknown())),
    objectsPerPage,
    visited: new Set(),
    stored: new Set(),
    tree: createNotionTree(run),
    read: createNotionReader(run, people),
    people,
  }
}

/** One stored page or data source. @throws ProviderError */
export async function readNotionItem(run: NotionRun, externalId: string): Promise<ItemRead> {
  // Without a position it follows no children: the runs do.
  const sync = startSync(run, null, 1)
  const part = emptyStep()
  await readStored(sync, externalId, part)
  return part
}

async function* readEdited(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state } = sync
  state.pass ??= { newest: '', begun: '', startCursor: null, done: [], reached: '' }
  try {
    yield* readResults(sync)
  } catch (error) {
    if (state.pass?.startCursor == null || !isCursorRefused(error)) throw error
    // From the first page again, skipping what was read before.
    Object.assign(state.pass, { startCursor: null, done: [] })
    yield* readResults(sync)
  }
}

const isCursorRefused = (error: unknown) =>
  error instanceof ProviderError && (error.code === 'validation_error' || error.code === 'invalid_request')

/** Continues through the search results down to those edited before the last run. */
async function* readResults(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state, run, objectsPerPage } = sync
  const pass = state.pass
  if (pass === null) return
  const stop = overlapStart(state.since)
  const newestBefore = pass.newest
  let part = emptyStep()
  for await (const { results, partial, nextCursor } of searchPages(run, pass.startCursor)) {
    if (pass.newest === '') pass.begun = run.serverTime().toISOString()
    for (const ref of partial) await addIfNew(sync, ref)
    for (const object of results) sync.tree.remember(object)
    for (const object of results) {
      if (object.last_edited_time < stop) {
        finishPass(state, run.serverTime())
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
      part = emptyStep()
    }
    pass.startCursor = nextCursor
    pass.done = []
    pass.reached = results.at(-1)?.last_edited_time ?? pass.reached
  }
  finishPass(state, run.serverTime())
  if (hasContent(part)) yield pageOf(sync, part)
}

function isToBeRead(sync: NotionSync, object: NotionObject, newestBefore: string): boolean {
  const { pass } = sync.state
  if (pass === null || pass.done.includes(object.id) || isSettled(sync.state, object)) return false
  const time = object.last_edited_time
  // After a restart from the first page: everything between the former newest and the reached position was read.
  const isRepeated =
    pass.startCursor === null && pass.reached !== '' && time > pass.reached && time <= newestBefore
  return !isRepeated
}

/** Removes trashed objects: the first pages of the trash, and further ones while they include stored objects. */
async function* removeTrashed(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { run, state } = sync
  let pages = 0
  try {
    for await (const { results } of searchPages(run, null, true)) {
      const trashed = results.filter((object) => object.in_trash)
      const part = emptyStep()
      for (const { id } of trashed) if (await isStored(run.session, id)) part.deletions.push(id)
      // The children of a trashed page go with it, without an event.
      if (part.deletions.some((id) => state.containers[id] !== undefined)) state.sweep.at = NEVER
      if (hasContent(part)) yield pageOf(sync, part)
      pages += 1
      // When search does not support the trash and answers with something else, the count finds what is gone.
      const isTrash = trashed.length === results.length
      if (!isTrash || (part.deletions.length === 0 && pages >= TRASH_PAGES)) return
    }
  } catch (error) {
    if (!isRejected(error)) throw error
  }
}

/** The pending objects, and those that reading them adds. */
function* pendingIn({ pending }: NotionState): Generator<NotionRef> {
  for (let ref = pending.shift(); ref !== undefined; ref = pending.shift()) yield ref
}
