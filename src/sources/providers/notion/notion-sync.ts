import { isFullDatabase, isFullPage } from '@notionhq/client'
import type { OutageGuard } from '../../outage-guard.ts'
import type { ChangePage, ItemFailure, ProviderItem } from '../../provider.ts'
import {
  isNotFound,
  orNull,
  retrieveDataSource,
  retrievePage,
  type NotionObject,
  type NotionRun,
} from './notion-client.ts'
import {
  pathMark,
  pruneNotionState,
  writeNotionCursor,
  type NotionRef,
  type NotionState,
} from './notion-cursor.ts'
import { notionItem, readMarkdown } from './notion-items.ts'
import type { NotionPerson } from './notion-people.ts'
import { childrenIn } from './notion-text.ts'
import { titleOf, type NotionTree } from './notion-tree.ts'

const ROWS_PER_REQUEST = 100
/** Rows one query may list before Notion calls it incomplete; further ones are asked for by their time of creation. */
const MOST_ROW_QUERIES = 1_000

/** Everything a run works with. */
export interface NotionSync {
  run: NotionRun
  state: NotionState
  tree: NotionTree
  outage: OutageGuard
  person: (id: string) => Promise<NotionPerson | null>
  /** Ids of the objects this run has read or tried to. */
  visited: Set<string>
  /** Objects after which a page is handed out. */
  objectsPerPage: number
}

/** What has been read since the last page. */
export interface NotionPart {
  upserts: ProviderItem[]
  deletions: string[]
  failures: ItemFailure[]
  discovered: number
}

export const emptyPart = (): NotionPart => ({ upserts: [], deletions: [], failures: [], discovered: 0 })

/** A page with the state as it is now, not the last one. */
export function pageOf(sync: NotionSync, part: NotionPart): ChangePage {
  for (const id of part.deletions) {
    delete sync.state.containers[id]
    delete sync.state.settled[id]
  }
  pruneNotionState(sync.state)
  // What is gone is found by counting, so that an object that could not be read is not taken for removed.
  return { ...part, cursor: writeNotionCursor(sync.state), complete: false, snapshot: null }
}

/**
 * Reads one object into the part: as an item, a deletion, or a failure that the next run tries again; whether it was read.
 */
export async function readObject(sync: NotionSync, object: NotionObject, part: NotionPart): Promise<boolean> {
  const { state, outage } = sync
  const ref: NotionRef = { kind: object.object, id: object.id }
  part.discovered += 1
  sync.visited.add(object.id)
  drop(state.pending, ref)
  drop(state.failed, ref)
  try {
    await readContent(sync, object, part)
    outage.passed()
    return true
  } catch (error) {
    if (isNotFound(error)) {
      part.deletions.push(object.id)
      return true
    }
    part.failures.push(outage.failureOf(object.id, error))
    state.failed.push(ref)
    return false
  }
}

/** Reads what is only known by its id; a database stands for its data sources. */
export async function readReference(sync: NotionSync, ref: NotionRef, part: NotionPart): Promise<void> {
  const { run, state, outage } = sync
  drop(state.pending, ref)
  drop(state.failed, ref)
  try {
    if (ref.kind === 'database') {
      for (const id of await dataSourcesOf(run, ref.id))
        await addIfNew(sync, { kind: 'data_source', id }, ref.hasMoved)
      return
    }
    const object =
      ref.kind === 'page' ? await retrievePage(run, ref.id) : await retrieveDataSource(run, ref.id)
    if (object === null) {
      part.deletions.push(ref.id)
      return
    }
    sync.tree.remember(object)
    await readObject(sync, object, part)
    if (object.object === 'data_source' && !object.in_trash) {
      for await (const row of rowsOf(run, object.id)) await addIfNew(sync, { kind: 'page', id: row })
    }
  } catch (error) {
    part.failures.push(outage.failureOf(ref.id, error))
    state.failed.push(ref)
  }
}

async function readContent(sync: NotionSync, object: NotionObject, part: NotionPart): Promise<void> {
  const { run, tree, person } = sync
  const { path, trashed, container } = await tree.locate(object)
  if (trashed) {
    part.deletions.push(object.id)
    return
  }
  const markdown = object.object === 'page' ? await readMarkdown(run, object.id) : ''
  const author = await person(object.created_by.id)
  const editor = await person(object.last_edited_by.id)
  const { externalAccountId: id, displayName: name } = run.session.account
  const context = { workspace: { id, name }, maxTextBytes: run.session.limits.maxTextBytes }
  part.upserts.push(notionItem(context, object, { path, markdown, author, editor }))
  // A page that held nothing when it was read may hold this one since.
  if (container !== null) sync.state.containers[container.id] ??= pathMark(container.path, container.title)
  await followChildren(sync, object, path, childrenIn(markdown))
}

/** Children never seen are to be read; all of them when their parent was renamed or moved, and they with it. */
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
  state.containers[object.id] = mark
  const hasMoved = before !== undefined && before !== mark
  for (const child of children) await addIfNew(sync, child, hasMoved)
  if (hasMoved && object.object === 'data_source') {
    for await (const id of rowsOf(run, object.id)) addPending(state, { kind: 'page', id })
  }
}

async function addIfNew(sync: NotionSync, ref: NotionRef, always = false): Promise<void> {
  if (ref.kind === 'database') {
    const isKnown = sync.state.containers[ref.id] !== undefined
    if (isKnown && !always) return
    // Noted as a container of its data sources, so that it is looked into once.
    sync.state.containers[ref.id] = ''
    addPending(sync.state, { ...ref, hasMoved: always })
    return
  }
  const range = { from: ref.id, to: `${ref.id}\u0001`, limit: 1 }
  if (!always && sync.visited.has(ref.id)) return
  const isStored = !always && (await sync.run.session.storedIds(range)).length > 0
  if (!isStored) addPending(sync.state, ref)
}

/** Adds an object to those to be read, once. */
export function addPending(state: NotionState, ref: NotionRef): void {
  if (!state.pending.some((known) => known.id === ref.id)) state.pending.push(ref)
}

function drop(list: NotionRef[], ref: NotionRef): void {
  const index = list.findIndex((known) => known.id === ref.id)
  if (index !== -1) list.splice(index, 1)
}

async function dataSourcesOf(run: NotionRun, databaseId: string): Promise<string[]> {
  const database = await orNull(() =>
    run.call((auth) => run.client.databases.retrieve({ auth, database_id: databaseId })),
  )
  if (!database || !isFullDatabase(database) || database.in_trash) return []
  return database.data_sources.map((source) => source.id)
}

/**
 * The ids of a data source's rows, by their time of creation. One query lists at most 10,000 of them; further ones begin at
 * the last row's time, as the SDK's own `iterateAllDataSourceRows` does. Nothing when the data source is gone. Throws
 * ProviderError.
 */
export async function* rowsOf(
  run: NotionRun,
  dataSourceId: string,
  onRequest = () => undefined,
): AsyncGenerator<string> {
  const seen = new Set<string>()
  let createdFrom: string | null = null
  let cursor: string | null = null
  for (let request = 0; request < MOST_ROW_QUERIES; request += 1) {
    onRequest()
    const answer: Awaited<ReturnType<typeof queryRows>> = await queryRows(
      run,
      dataSourceId,
      createdFrom,
      cursor,
    )
    if (answer === null) return
    let last: string | null = null
    for (const row of answer.results) {
      if (row.object !== 'page' || !isFullPage(row)) continue
      last = row.created_time
      if (!seen.has(row.id)) yield row.id
      seen.add(row.id)
    }
    cursor = answer.next_cursor
    if (cursor !== null) continue
    const isIncomplete = answer.request_status?.type === 'incomplete'
    if (!isIncomplete || last === null || last === createdFrom) return
    createdFrom = last
  }
}

async function queryRows(
  run: NotionRun,
  dataSourceId: string,
  createdFrom: string | null,
  cursor: string | null,
) {
  const filter = createdFrom === null ? {} : { filter: createdSince(createdFrom) }
  return await orNull(() =>
    run.call((auth) =>
      run.client.dataSources.query({
        auth,
        data_source_id: dataSourceId,
        page_size: ROWS_PER_REQUEST,
        sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
        ...filter,
        ...(cursor === null ? {} : { start_cursor: cursor }),
      }),
    ),
  )
}

const createdSince = (time: string) => ({
  timestamp: 'created_time' as const,
  created_time: { on_or_after: time },
})
