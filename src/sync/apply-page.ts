import { changeItems } from '../item-changes/index.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import {
  AUTHOR_CHARACTERS_MAX,
  dropClaims,
  isLink,
  type Items,
  type NewItem,
  TITLE_CHARACTERS_MAX,
} from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { storableText } from '../kernel/text.ts'
import type { ChangePage, ItemFailure, ProviderItem } from '../providers/index.ts'
import { lockSource, saveCursor } from '../sources/index.ts'
import { type FinishRun, SourcePaused } from './finish-run.ts'
import { isItemFault, storeFailure } from './item-faults.ts'
import { requireLease, type TakenRun } from './run-lease.ts'
import { storedFailure } from './stored-failure.ts'
import { findUnseen, hasPolicy, markSeen, markSynced, withKnownPolicies } from './synced-items.ts'

export interface PageCounts {
  ingested: number
  deleted: number
  failed: number
}

export interface ApplyDependencies {
  db: Db
  items: Pick<Items, 'write'>
  clock: Clock
  finish: FinishRun
  /** Called when the service itself fails on an item; the run continues. */
  onItemFault(run: TakenRun, fault: unknown): void
}

/** What one transaction stores of a page. */
interface Part {
  upserts: readonly ProviderItem[]
  deletions: readonly string[]
  failures: readonly ItemFailure[]
  skipped?: readonly ItemFailure[]
  discovered: number
  snapshot: string | null
  /** Undefined: more parts of the page follow. */
  cursor?: ChangePage['cursor'] | undefined
  /** Whether the run succeeds with this part. */
  finishes: boolean
}

const FAILURES_KEPT = 100
const REMOVED_AT_ONCE = 500

/**
 * Stores a page in one transaction: items, deletions, failures, counts and cursor, with a check that the run still
 * holds its lease. The embedded database stores some items in earlier transactions. On the last page of a full crawl
 * it first removes what the crawl has not seen, and ends the run.
 * @throws LeaseLost, SourcePaused: the page is not complete. Also throws embedding and database errors that no single
 * item caused.
 */
export async function applyPage(
  deps: ApplyDependencies,
  run: TakenRun,
  page: ChangePage,
  signal: AbortSignal,
): Promise<PageCounts> {
  const whole: Part = { ...page, finishes: page.complete }
  if (!page.complete || page.snapshot === null) return await applyWhole(deps, run, whole, signal)
  // The cursor is saved last: a worker that dies before comes back to this page.
  const { cursor, ...content } = whole
  const counts = await applyWhole(deps, run, { ...content, discovered: 0, finishes: false }, signal)
  counts.deleted += await removeUnseen(deps, run, page.snapshot, signal)
  const last = { ...whole, upserts: [], deletions: [], failures: [], skipped: [], cursor }
  return sum(counts, await applyPart(deps, run, last, signal))
}

/** If an item cannot be stored, stores the others one by one and records a failure. */
async function applyWhole(
  deps: ApplyDependencies,
  run: TakenRun,
  part: Part,
  signal: AbortSignal,
): Promise<PageCounts> {
  try {
    return await applyPart(deps, run, part, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!isItemFault(error) || part.upserts.length === 0) throw error
  }
  let counts: PageCounts = { ingested: 0, deleted: 0, failed: 0 }
  const failures = [...part.failures]
  for (const item of part.upserts) {
    const { cursor: _, ...rest } = part
    const nothing = { deletions: [], failures: [], skipped: [], discovered: 0, finishes: false }
    const one = { ...rest, ...nothing, upserts: [item] }
    try {
      counts = sum(counts, await applyPart(deps, run, one, signal))
    } catch (error) {
      signal.throwIfAborted()
      if (!isItemFault(error)) throw error
      failures.push(storeFailure(item.externalId, error))
    }
  }
  const stored = new Set(part.upserts.map(({ externalId }) => externalId))
  const deletions = part.deletions.filter((id) => !stored.has(id))
  return sum(counts, await applyPart(deps, run, { ...part, upserts: [], deletions, failures }, signal))
}

function sum(left: PageCounts, right: PageCounts): PageCounts {
  return {
    ingested: left.ingested + right.ingested,
    deleted: left.deleted + right.deleted,
    failed: left.failed + right.failed,
  }
}

async function applyPart(
  deps: ApplyDependencies,
  run: TakenRun,
  part: Part,
  signal: AbortSignal,
): Promise<PageCounts> {
  const { organizationId, source } = run
  const read = part.upserts.map((item) => newItem(source, item))
  const items = await withKnownPolicies(deps.db, source, read)
  const upserted = read.map(({ externalId, metadata }) => ({ externalId, hasPolicy: hasPolicy(metadata) }))
  const comes = new Set(upserted.map(({ externalId }) => externalId))
  const goes = part.deletions.map(storableText).filter((id) => !comes.has(id))
  let others = { deleted: 0, failed: 0 }
  const { ingested } = await deps.items.write(
    organizationId,
    items,
    async (tx, { items: stored, counts, isLast }, changes) => {
      const lastSnapshot = await requireUnpaused(tx, run)
      // Items from a page of changes are as new as the last full crawl.
      const snapshot = part.snapshot ?? lastSnapshot
      await requireLease(tx, run)
      const ids = new Set(stored.map(({ externalId }) => externalId))
      await markSynced(
        tx,
        source,
        upserted.filter(({ externalId }) => ids.has(externalId)),
        snapshot,
      )
      if (!isLast) return await countIngested(tx, run, counts.ingested)
      if (part.snapshot !== null)
        await markSeen(
          tx,
          source,
          part.failures.map(({ externalId }) => storableText(externalId)),
          part.snapshot,
        )
      const at = deps.clock.now()
      const deleted = await dropClaims(tx, changes, source, goes, at)
      const failed = await keepFailures(tx, run, { items: part.failures, isSkip: false }, at)
      await keepFailures(tx, run, { items: part.skipped ?? [], isSkip: true }, at)
      others = { deleted, failed }
      await saveProgress(tx, run, part, { ingested: counts.ingested, ...others })
      if (part.finishes) {
        await deps.finish(tx, run, { succeeded: true, snapshot: part.snapshot })
      }
    },
    { signal, anewSince: run.fullResync ? run.startedAt : undefined, clock: deps.clock },
  )
  for (const failure of part.failures) if ('fault' in failure) deps.onItemFault(run, failure.fault)
  return { ingested, ...others }
}

/** An item of a provider as a source stores it. */
export function newItem(source: TakenRun['source'], item: ProviderItem): NewItem {
  const { title, url, authorName } = item
  return {
    ...item,
    sourceId: source.sourceId,
    provider: source.provider,
    externalId: storableText(item.externalId),
    // Pushed documents have the same limits. The title is prepended to every embedded chunk.
    title: title.slice(0, TITLE_CHARACTERS_MAX),
    url: url !== null && isLink(url) ? url : null,
    authorName: authorName?.slice(0, AUTHOR_CHARACTERS_MAX) ?? null,
  }
}

/** Locks the source before the run, the order everywhere. @returns its last full crawl */
async function requireUnpaused(tx: Tx, run: TakenRun): Promise<string | null> {
  const source = await lockSource(tx, run.source)
  if (source?.status === 'disabled') throw new SourcePaused()
  return source?.lastSnapshot ?? null
}

/** For a part that others follow. */
async function countIngested(tx: Tx, run: TakenRun, ingested: number): Promise<void> {
  await tx
    .updateTable('sync_runs')
    .set({ items_ingested: sql<number>`items_ingested + ${ingested}` })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .execute()
}

async function saveProgress(tx: Tx, run: TakenRun, part: Part, counts: PageCounts): Promise<void> {
  await tx
    .updateTable('sync_runs')
    .set({
      items_discovered: sql<number>`items_discovered + ${part.discovered}`,
      items_ingested: sql<number>`items_ingested + ${counts.ingested}`,
      items_deleted: sql<number>`items_deleted + ${counts.deleted}`,
      items_failed: sql<number>`items_failed + ${counts.failed}`,
      takes: 0,
    })
    .where('organization_id', '=', run.organizationId)
    .where('id', '=', run.runId)
    .execute()
  if (part.cursor !== undefined) await saveCursor(tx, run.source, part.cursor)
}

/**
 * Records the first hundred failed items, or skipped ones. Returns the number of newly failed items: an adapter may
 * retry an item in the same run, and a mail fails once per attachment.
 */
async function keepFailures(
  tx: Tx,
  run: TakenRun,
  { items, isSkip }: { items: readonly ItemFailure[]; isSkip: boolean },
  at: Date,
): Promise<number> {
  if (items.length === 0) return 0
  const byId = new Map(
    items.map((item) => {
      const failure = {
        organization_id: run.organizationId,
        run_id: run.runId,
        ...storedFailure(item, isSkip),
        created_at: at,
      }
      return [failure.external_id, failure]
    }),
  )
  const kept = await tx
    .selectFrom('sync_run_failures')
    .select(['external_id', 'is_skip'])
    .where('organization_id', '=', run.organizationId)
    .where('run_id', '=', run.runId)
    .execute()
  const room = FAILURES_KEPT - kept.filter(({ is_skip: wasSkip }) => wasSkip === isSkip).length
  for (const { external_id } of kept) byId.delete(external_id)
  const rows = [...byId.values()].slice(0, Math.max(0, room))
  if (rows.length > 0) await tx.insertInto('sync_run_failures').values(rows).execute()
  return byId.size
}

/**
 * Removes what the finished crawl has not seen, in batches of a few hundred: the embedded database has other work
 * too.
 */
async function removeUnseen(
  { db, clock }: ApplyDependencies,
  run: TakenRun,
  snapshot: string,
  signal: AbortSignal,
): Promise<number> {
  const { source } = run
  let removed = 0
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const batch = { after, limit: REMOVED_AT_ONCE }
    const ids = await changeItems(db, run.organizationId, async (tx, changes) => {
      await requireUnpaused(tx, run)
      await requireLease(tx, run)
      const unseen = await findUnseen(tx, source, snapshot, batch)
      const deleted = await dropClaims(tx, changes, source, unseen, clock.now())
      await tx
        .updateTable('sync_runs')
        .set({ items_deleted: sql<number>`items_deleted + ${deleted}` })
        .where('organization_id', '=', run.organizationId)
        .where('id', '=', run.runId)
        .execute()
      return unseen
    })
    removed += ids.length
    after = ids.at(-1) ?? after
    if (ids.length < REMOVED_AT_ONCE) return removed
  }
}
