import { z } from 'zod'
import type { OutageGuard } from '../outage-guard.ts'
import { type ChangePage, returnIf } from '../adapter.ts'
import { emptyStep, type Step } from '../run-state.ts'
import { isStored } from '../stored-ids.ts'
import { isNotFound, isUnsupported, type NotionRun } from './client.ts'
import type { LeftOut, NotionContent } from './blocks.ts'
import type { NotionReader } from './content.ts'
import { pathMark, pruneNotionState, type NotionRef, type NotionState } from './cursor.ts'
import { notionItem } from './items.ts'
import { retrieveDataSource, retrievePage, type NotionObject } from './objects.ts'
import type { NotionPeople } from './people.ts'
import { rowsOf } from './rows.ts'
import { titleOf, type NotionTree } from './tree.ts'

/** Shared by all parts of a run. */
export interface NotionSync {
  run: NotionRun
  state: NotionState
  tree: NotionTree
  outage: OutageGuard
  read: NotionReader
  people: NotionPeople
  /** Ids of the objects this run has read or tried to. */
  visited: Set<string>
  /** Ids of objects this run found to be stored. */
  stored: Set<string>
  /** Objects per yielded page. */
  objectsPerPage: number
}

export const hasContent = (part: Step): boolean =>
  part.upserts.length + part.deletions.length + part.failures.length > 0

/** A page with the current state as its cursor; not the last one. */
export function pageOf(sync: NotionSync, part: Step): ChangePage {
  for (const id of part.deletions) {
    delete sync.state.containers[id]
    delete sync.state.settled[id]
    delete sync.state.published[id]
  }
  pruneNotionState(sync.state)
  // Counting finds what is gone, so an object that could not be read does not count as removed.
  return { ...part, cursor: structuredClone(sync.state), complete: false, snapshot: null }
}

/** Reads one object into the part as an item, a deletion, or a failure to retry. Returns whether it was read. */
export async function readObject(sync: NotionSync, object: NotionObject, part: Step): Promise<boolean> {
  const { state, outage, people } = sync
  const ref: NotionRef = { kind: object.object, id: object.id }
  part.discovered += 1
  sync.visited.add(object.id)
  drop(state.pending, ref)
  drop(state.failed, ref)
  try {
    await readOrRemove(sync, object, part)
    outage.passed()
    // Stored without a name, and read again in the next run.
    if ([object.created_by, object.last_edited_by].some(people.wasUnavailable)) state.failed.push(ref)
    return true
  } catch (error) {
    part.failures.push({ ...(await outage.failureOf(object.id, error)), title: titleOf(object) })
    state.failed.push(ref)
    return false
  }
}

/** Reads an object known only by id; a database yields its data sources. */
async function readReference(sync: NotionSync, ref: NotionRef, part: Step): Promise<void> {
  const { run, state, outage } = sync
  drop(state.pending, ref)
  drop(state.failed, ref)
  sync.visited.add(ref.id)
  try {
    if (ref.kind === 'database') {
      for (const id of await dataSourcesOf(run, ref.id))
        await addIfNew(sync, { kind: 'data_source', id }, ref.hasMoved)
      return
    }
    const object = await retrieve(run, ref.kind, ref.id)
    if (object === null) {
      part.deletions.push(ref.id)
      return
    }
    sync.tree.remember(object)
    await readObject(sync, object, part)
    if (object.object === 'data_source' && !object.in_trash) {
      for await (const row of rowsOf(run, object.id)) await addIfNew(sync, { kind: row.kind, id: row.id })
    }
  } catch (error) {
    part.failures.push(await outage.failureOf(ref.id, error))
    state.failed.push(ref)
  }
}

/** Reads objects known only by id. */
export async function* readReferences(
  sync: NotionSync,
  refs: Iterable<NotionRef>,
): AsyncGenerator<ChangePage> {
  let part = emptyStep()
  for (const ref of refs) {
    await readReference(sync, ref, part)
    if (part.discovered < sync.objectsPerPage) continue
    yield pageOf(sync, part)
    part = emptyStep()
  }
  if (hasContent(part)) yield pageOf(sync, part)
}

/** Those that this run has neither read nor failed to read. */
export function* unvisited({ visited }: NotionSync, refs: Iterable<NotionRef>): Generator<NotionRef> {
  for (const ref of refs) if (!visited.has(ref.id)) yield ref
}

/** Reads a stored object that is a page or a data source. @throws ProviderError */
export async function readStored(sync: NotionSync, id: string, part: Step): Promise<void> {
  const object = await retrieve(sync.run, 'object', id)
  if (object === null) part.deletions.push(id)
  else await readObject(sync, object, part)
}

async function retrieve(run: NotionRun, kind: NotionRef['kind'], id: string): Promise<NotionObject | null> {
  const page = kind === 'data_source' ? null : await retrievePage(run, id)
  return page ?? (kind === 'page' ? null : await retrieveDataSource(run, id))
}

/** A stored object; null when it is gone. If Notion does not say, the next run reads it. @throws ProviderError */
export async function checkStored(sync: NotionSync, id: string): Promise<NotionObject | null> {
  const { run, state, tree } = sync
  const ref: NotionRef = { kind: 'object', id }
  state.failed.push(ref)
  const object = await retrieve(run, ref.kind, id)
  const isGone = object === null || (await tree.locate(object)).trashed
  drop(state.failed, ref)
  return isGone ? null : object
}

async function readOrRemove(sync: NotionSync, object: NotionObject, part: Step): Promise<void> {
  try {
    await readContent(sync, object, part)
  } catch (error) {
    // The object is no longer shared, or only its content is hidden from us.
    if (!isNotFound(error) || (await retrieve(sync.run, object.object, object.id)) !== null) throw error
    part.deletions.push(object.id)
  }
}

async function readContent(sync: NotionSync, object: NotionObject, part: Step): Promise<void> {
  const { run, tree, people } = sync
  const { path, trashed, container } = await tree.locate(object)
  if (trashed) {
    part.deletions.push(object.id)
    return
  }
  const { text, children, left } = object.object === 'page' ? await sync.read(object.id) : NO_CONTENT
  const author = await people.find(object.created_by)
  const editor = await people.find(object.last_edited_by)
  part.upserts.push(notionItem(run.session, object, { path, text, author, editor }))
  if (object.public_url === null) delete sync.state.published[object.id]
  else sync.state.published[object.id] = true
  const reason = leftInWords(left)
  if (reason !== '') part.skipped.push({ externalId: object.id, title: titleOf(object), message: reason })
  if (container !== null) {
    // A page that was empty when read may contain this one since.
    sync.state.containers[container.id] ??= pathMark(container.path, container.title)
    // Search may have missed it.
    await addIfNew(sync, { kind: container.kind, id: container.id })
  }
  await followChildren(sync, object, path, children)
}

const NO_CONTENT: NotionContent = { text: '', children: [], left: { files: 0, parts: 0 } }

/** Describes which parts of a page its item lacks; empty if none. */
function leftInWords({ files, parts }: LeftOut): string {
  const reasons = [
    ...(files === 0 ? [] : [files === 1 ? '1 file in it is not read' : `${files} files in it are not read`]),
    ...(parts === 0 ? [] : [parts === 1 ? 'a part of it is not read' : `${parts} parts of it are not read`]),
  ]
  return reasons.join('; ')
}

/** Reads unknown children. When their parent was renamed or moved, reads all of them. */
async function followChildren(
  sync: NotionSync,
  object: NotionObject,
  path: string[],
  children: NotionRef[],
): Promise<void> {
  const { state, run } = sync
  if (object.object === 'page' && children.length === 0) {
    delete state.containers[object.id]
    return
  }
  const mark = pathMark(path, titleOf(object))
  const before = state.containers[object.id]
  const hasMoved = before !== undefined && before !== mark
  for (const child of children) await addIfNew(sync, child, hasMoved)
  if (hasMoved && object.object === 'data_source') {
    for await (const { kind, id } of rowsOf(run, object.id)) addPending(state, { kind, id })
  }
  state.containers[object.id] = mark
}

/** Marks an object to be read, unless it is stored or this run has met it; always if it moved. */
export async function addIfNew(sync: NotionSync, ref: NotionRef, always = false): Promise<void> {
  if (ref.kind === 'database') {
    const isKnown = sync.state.containers[ref.id] !== undefined
    if (isKnown && !always) return
    // Recorded as a container of its data sources, so that it is searched once.
    sync.state.containers[ref.id] = ''
    addPending(sync.state, { ...ref, hasMoved: always })
    return
  }
  if (!always && (sync.visited.has(ref.id) || (await hasStored(sync, ref.id)))) return
  addPending(sync.state, ref)
}

async function hasStored({ stored, run }: NotionSync, id: string): Promise<boolean> {
  if (!stored.has(id) && (await isStored(run.session, id))) stored.add(id)
  return stored.has(id)
}

export function addPending(state: NotionState, ref: NotionRef): void {
  if (!state.pending.some((known) => known.id === ref.id)) state.pending.push(ref)
}

function drop(list: NotionRef[], ref: NotionRef): void {
  const index = list.findIndex((known) => known.id === ref.id)
  if (index !== -1) list.splice(index, 1)
}

const Database = z
  .object({
    in_trash: z.boolean().catch(false),
    data_sources: z.array(z.object({ id: z.string() })).catch([]),
  })
  .nullable()
  .catch(null)

async function dataSourcesOf(run: NotionRun, databaseId: string): Promise<string[]> {
  const path = `databases/${encodeURIComponent(databaseId)}`
  const database = await run.call(path, Database).catch(returnIf(isUnsupported, null))
  return database === null || database.in_trash ? [] : database.data_sources.map(({ id }) => id)
}
