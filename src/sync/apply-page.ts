import { changeItems } from '../item-changes/index.ts'
import type { Db, Tx } from '../database/database.ts'
import {
  AUTHOR_CHARACTERS_MAX,
  dropClaims,
  isLink,
  type Items,
  type NewItem,
  TITLE_CHARACTERS_MAX,
  type WithinWrite,
} from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { storableText } from '../kernel/text.ts'
import type { ChangePage, ItemFailure, ProviderItem } from '../providers/index.ts'
import { lockSource, saveCursor } from '../sources/index.ts'
import { type FinishRun, SourcePaused } from './finish-run.ts'
import { isItemFault, storeFailure } from './item-faults.ts'
import { requireLease, type LeasedRun } from './run-lease.ts'
import { addCounts, NOTHING_COUNTED, type PageCounts, sumCounts } from './page-counts.ts'
import { deleteFailures } from './list-skipped.ts'
import { recordFailures } from './record-failures.ts'
import {
  findClaimed,
  findUnseen,
  hasPolicy,
  markSeen,
  markSynced,
  storeWithPolicies,
} from './synced-items.ts'

export interface ApplyDependencies {
  db: Db
  items: Pick<Items, 'write' | 'changePolicies'>
  clock: Clock
  finish: FinishRun
  /** Called when the service itself fails on an item; the run continues. */
  onItemFault(run: LeasedRun, fault: unknown): void
}

/** The part of a page that one transaction stores. */
interface Part {
  upserts: readonly ProviderItem[]
  deletions: readonly string[]
  failures: readonly ItemFailure[]
  skipped?: readonly ItemFailure[]
  /** External ids that an earlier part of the page stored. */
  stored?: ReadonlySet<string>
  discovered: number
  unchanged?: number
  snapshot: string | null
  /** Undefined: more parts of the page follow. */
  cursor?: ChangePage['cursor'] | undefined
  /** Whether the run succeeds with this part. */
  finishes: boolean
}

const REMOVED_AT_ONCE = 500
/** For all parts of a page but one. */
const NOTHING_FOUND = { discovered: 0, unchanged: 0 }

/**
 * Stores a page in one transaction: items, deletions, failures, counts and cursor, with a check that the run still
 * holds its lease. The embedded database stores some items in earlier transactions. On the last page of a full crawl
 * it first removes what the crawl has not seen, and ends the run.
 * @throws LeaseLost, SourcePaused: the page is not complete. Also throws embedding and database errors that no single
 * item caused.
 */
export async function applyPage(
  deps: ApplyDependencies,
  run: LeasedRun,
  page: ChangePage,
  signal: AbortSignal,
): Promise<PageCounts> {
  const whole: Part = { ...page, finishes: page.complete }
  if (!page.complete || page.snapshot === null) return await applyWhole(deps, run, whole, signal)
  // The cursor is saved last, so if a worker dies earlier, the next one reads this page again.
  const { cursor, ...content } = whole
  const counts = await applyWhole(deps, run, { ...content, ...NOTHING_FOUND, finishes: false }, signal)
  counts.deleted += await removeUnseen(deps, run, page.snapshot, signal)
  const last: Part = { ...whole, upserts: [], deletions: [], failures: [], skipped: [], cursor }
  return sumCounts(counts, await applyPart(deps, run, last, signal))
}

/** If an item cannot be stored, stores the others one by one and records a failure. */
async function applyWhole(
  deps: ApplyDependencies,
  run: LeasedRun,
  part: Part,
  signal: AbortSignal,
): Promise<PageCounts> {
  try {
    return await applyPart(deps, run, part, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!isItemFault(error) || part.upserts.length === 0) throw error
  }
  let counts = NOTHING_COUNTED
  const stored = new Set<string>()
  const failures = [...part.failures]
  for (const item of part.upserts) {
    const { cursor: _, ...rest } = part
    const nothing = { deletions: [], failures: [], skipped: [], ...NOTHING_FOUND, finishes: false }
    const one = { ...rest, ...nothing, upserts: [item] }
    try {
      counts = sumCounts(counts, await applyPart(deps, run, one, signal))
      stored.add(item.externalId)
    } catch (error) {
      signal.throwIfAborted()
      if (!isItemFault(error)) throw error
      failures.push({ ...storeFailure(item, error), accessPolicy: item.metadata.accessPolicy ?? null })
    }
  }
  const upserted = new Set(part.upserts.map(({ externalId }) => externalId))
  const deletions = part.deletions.filter((id) => !upserted.has(id))
  const rest = { ...part, upserts: [], deletions, failures, stored }
  return sumCounts(counts, await applyPart(deps, run, rest, signal))
}

async function applyPart(
  deps: ApplyDependencies,
  run: LeasedRun,
  part: Part,
  signal: AbortSignal,
): Promise<PageCounts> {
  const { organizationId, source } = run
  await applyReaders(deps, run, part.failures)
  const read = part.upserts.map((item) => newItem(source, item))
  // A provider may report an item twice in a page; the last one is stored.
  const upserted = new Map(read.map(({ externalId, metadata }) => [externalId, hasPolicy(metadata)]))
  const deletions = part.deletions.map(storableText).filter((id) => !upserted.has(id))
  let others = { deleted: 0, failed: 0, skipped: 0 }
  const within: WithinWrite = async (tx, { items: stored, counts, isLast }, changes) => {
    const lastSnapshot = await requireUnpaused(tx, run)
    // Items from a page of changes are as new as the last full crawl.
    const snapshot = part.snapshot ?? lastSnapshot
    await requireLease(tx, run)
    await markSynced(
      tx,
      source,
      stored.map(({ externalId }) => ({ externalId, hasPolicy: upserted.get(externalId) === true })),
      snapshot,
    )
    const pageCounts = { ingested: counts.ingested, unchanged: counts.skipped }
    if (!isLast) return await addCounts(tx, run, pageCounts)
    if (part.snapshot !== null)
      await markSeen(
        tx,
        source,
        part.failures.map(({ externalId }) => storableText(externalId)),
        part.snapshot,
      )
    const at = deps.clock.now()
    const recorded = await recordFailures(tx, run, part, at)
    const skipped = recorded.skipped.filter((id) => !upserted.has(id) && part.stored?.has(id) !== true)
    const removed = await findClaimed(tx, source, [...new Set(skipped).intersection(new Set(deletions))])
    const deleted = await dropClaims(tx, changes, source, deletions, at)
    await deleteFailures(tx, source, { gone: deletions, named: [...part.failures, ...(part.skipped ?? [])] })
    others = { deleted, failed: recorded.failed, skipped: skipped.length - removed.length }
    pageCounts.unchanged += part.unchanged ?? 0
    await addCounts(tx, run, { ...pageCounts, ...others, discovered: part.discovered }, { isPage: true })
    if (part.cursor !== undefined) await saveCursor(tx, run.source, part.cursor)
    if (part.finishes) {
      await deps.finish(tx, run, { succeeded: true, snapshot: part.snapshot })
    }
  }
  const anewSince = run.fullResync ? run.startedAt : undefined
  const written = await storeWithPolicies(deps.db, source, read, (items, check) =>
    deps.items.write(organizationId, items, within, { signal, anewSince, check, clock: deps.clock }),
  )
  for (const failure of part.failures) if ('fault' in failure) deps.onItemFault(run, failure.fault)
  return { ingested: written.ingested, unchanged: written.skipped + (part.unchanged ?? 0), ...others }
}

/** A failed item stays as it was stored, but its readers do not: a later run may never read this change again. */
async function applyReaders(
  { items, clock }: ApplyDependencies,
  run: LeasedRun,
  failures: readonly ItemFailure[],
): Promise<void> {
  const policies = failures.flatMap(({ externalId, accessPolicy }) =>
    accessPolicy === undefined ? [] : [{ externalId: storableText(externalId), accessPolicy }],
  )
  if (policies.length === 0) return
  const now = clock.now()
  await items.changePolicies(run.source, policies, {
    since: now,
    now,
    within: async (tx) => {
      await requireUnpaused(tx, run)
      await requireLease(tx, run)
    },
  })
}

/** An item of a provider as a source stores it. */
export function newItem(source: LeasedRun['source'], item: ProviderItem): NewItem {
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
async function requireUnpaused(tx: Tx, run: LeasedRun): Promise<string | null> {
  const source = await lockSource(tx, run.source)
  if (source?.status === 'disabled') throw new SourcePaused()
  return source?.lastSnapshot ?? null
}

/**
 * Removes what the finished crawl has not seen, in small batches, so that the embedded database can do other work.
 */
async function removeUnseen(
  { db, clock }: ApplyDependencies,
  run: LeasedRun,
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
      await addCounts(tx, run, { deleted })
      return unseen
    })
    removed += ids.length
    after = ids.at(-1) ?? after
    if (ids.length < REMOVED_AT_ONCE) return removed
  }
}
