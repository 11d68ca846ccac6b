import type { ChangePage } from '../../provider.ts'
import { retrieveDataSource, retrievePage } from './notion-client.ts'
import { addPending, emptyPart, pageOf, rowsOf, type NotionSync } from './notion-sync.ts'
import { searchPages } from './notion-search.ts'

/** Counting everything is part of every run while it takes no more requests than this. */
const CHEAP_REQUESTS = 10
/** In larger workspaces it is done this often. */
const SWEEP_EVERY_MS = 6 * 3600_000
/** Objects the count did not meet that are looked at one by one in a run; the next run goes on. */
const CHECKS_PER_RUN = 200
/** The time of a count that has to be made anew. */
export const NEVER = 0
const STORED_IDS_LIMIT = 1_000

/** Whether everything has to be counted in this run. */
export function isSweepDue(sync: NotionSync, isCrawl: boolean): boolean {
  const { at, requests, checkedTo } = sync.state.sweep
  const age = sync.run.session.clock.now().getTime() - at
  return isCrawl || checkedTo !== '' || requests <= CHEAP_REQUESTS || age < 0 || age >= SWEEP_EVERY_MS
}

/**
 * Counts what there is (search results and rows of data sources) against what is stored. What is not stored is to be read: a
 * page shared a moment ago, but edited long before, is nowhere in the newest results. What was not met is looked at, since
 * the search misses pages, and removed when it is in the trash or no longer shared. Throws ProviderError.
 */
export async function* sweepNotion(sync: NotionSync): AsyncGenerator<ChangePage> {
  const { state, run } = sync
  const met = await countObjects(sync)
  const missing: string[] = []
  let from = ''
  for (;;) {
    const ids = await run.session.storedIds({ from, to: null, limit: STORED_IDS_LIMIT })
    for (const id of ids) {
      if (!met.delete(id)) missing.push(id)
    }
    const last = ids.at(-1)
    if (last === undefined || ids.length < STORED_IDS_LIMIT) break
    from = `${last}\u0001`
  }
  for (const [id, kind] of met) addPending(state, { kind, id })
  state.sweep.at = run.session.clock.now().getTime()
  yield* checkMissing(sync, missing)
}

async function countObjects(sync: NotionSync): Promise<Map<string, 'page' | 'data_source'>> {
  const { run, state, tree } = sync
  const met = new Map<string, 'page' | 'data_source'>()
  const sources: string[] = []
  let requests = 0
  for await (const { results } of searchPages(run, null)) {
    requests += 1
    for (const object of results) {
      if (object.in_trash) continue
      tree.remember(object)
      met.set(object.id, object.object)
      if (object.object === 'data_source') sources.push(object.id)
    }
  }
  for (const source of sources) {
    for await (const row of rowsOf(run, source, () => void (requests += 1))) met.set(row, 'page')
  }
  state.sweep.requests = requests
  return met
}

async function* checkMissing(sync: NotionSync, missing: readonly string[]): AsyncGenerator<ChangePage> {
  const { state } = sync
  const todo = missing.filter((id) => id > state.sweep.checkedTo).slice(0, CHECKS_PER_RUN)
  const part = emptyPart()
  for (const id of todo) {
    if (await isGone(sync, id)) part.deletions.push(id)
  }
  const last = todo.at(-1)
  const hasMore = last !== undefined && missing.some((id) => id > last)
  state.sweep.checkedTo = hasMore ? last : ''
  if (part.deletions.length > 0) yield pageOf(sync, part)
}

async function isGone(sync: NotionSync, id: string): Promise<boolean> {
  const object = (await retrievePage(sync.run, id)) ?? (await retrieveDataSource(sync.run, id))
  return object === null || (await sync.tree.locate(object)).trashed
}
