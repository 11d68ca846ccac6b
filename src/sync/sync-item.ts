import { recordEvent } from '../audit/index.ts'
import type { DatabaseClock } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { type CheckStored, dropClaims, type Items, type WithinWrite } from '../items/index.ts'
import { AppError } from '../kernel/errors.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { storableText } from '../kernel/text.ts'
import { schedulePermissionPoll } from '../permission-polls/index.ts'
import {
  findProvider,
  isItemsOwn,
  type ItemFailure,
  type ItemRead,
  ownFailure,
  ProviderError,
} from '../providers/index.ts'
import { readSource, type Source } from '../sources/index.ts'
import { newItem } from './apply-page.ts'
import type { OpenAccount } from './execute-run.ts'
import { isItemFault, storeFailure } from './item-faults.ts'
import { renewFailures } from './list-skipped.ts'
import { requireRunnable } from './require-runnable.ts'
import { findClaim, hasPolicy, markReread, storeWithPolicies, wereStoredSince } from './synced-items.ts'

/** `failed`: it stays as it was stored. */
export type ItemSyncOutcome = 'updated' | 'unchanged' | 'deleted' | 'failed'

export interface ItemSync {
  outcome: ItemSyncOutcome
  /** The provider's or the service's message; null if it was read completely. */
  reason: string | null
}

export interface ItemSyncDependencies {
  db: Db
  clock: DatabaseClock
  items: Pick<Items, 'write' | 'findReadable'>
  /** Opens an account while a user waits. */
  openAccount(source: Source, signal: AbortSignal): ReturnType<OpenAccount>
}

/** The last read is stored in any case: a version that is dated in the future is newer than every read. */
const READS_MAX = 5

interface Named {
  id: string
  externalId: string
}

export interface ItemSyncs {
  /** Reads one item again at its provider, independently of sync runs. @throws AppError */
  sync(viewer: Viewer, id: string, signal: AbortSignal): Promise<ItemSync>
}

export function createItemSyncs(deps: ItemSyncDependencies): ItemSyncs {
  const { clock } = deps
  return {
    async sync(viewer, id, signal) {
      await clock.adjust()
      for (let reads = 1; reads < READS_MAX; reads += 1) {
        const synced = await syncOnce(deps, viewer, { id, readAt: clock.now() }, signal).catch(
          nullIfStoredSince,
        )
        if (synced !== null) return synced
        signal.throwIfAborted()
      }
      return await syncOnce(deps, viewer, { id, readAt: null }, signal)
    },
  }
}

/** An item was stored after it was read: read it again. */
class StoredSince extends Error {}

/** A run stored the item during the read, so what was read may be older than what is stored. */
function nullIfStoredSince(error: unknown): null {
  if (error instanceof StoredSince) return null
  throw error
}

async function syncOnce(
  deps: ItemSyncDependencies,
  viewer: Viewer,
  { id, readAt }: { id: string; readAt: Date | null },
  signal: AbortSignal,
): Promise<ItemSync> {
  const { source, externalId } = await findItem(deps, viewer, id)
  const item = { id, externalId, readAt }
  const read = await readItem(deps, source, item, signal)
  try {
    return await store(deps, viewer, source, { item, read }, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoredSince || !isItemFault(error)) throw error
    const failed = failedRead(storeFailure({ externalId }, error))
    return await store(deps, viewer, source, { item, read: failed }, signal)
  }
}

async function findItem({ db, items }: ItemSyncDependencies, viewer: Viewer, id: string) {
  if (!(await items.findReadable(viewer, [id])).has(id))
    throw new AppError('not_found', 'There is no such source item')
  const claim = await findClaim(db, viewer.organizationId, id)
  if (claim === undefined)
    throw new AppError('item_not_synced', 'This item was pushed or imported; push or import it again')
  await transact(db, (tx) => requireRunnable(tx, viewer, claim.sourceId))
  return { source: await readSource(db, claim), externalId: claim.externalId }
}

const failedRead = (failure: ItemFailure): ItemRead => ({ upserts: [], deletions: [], failures: [failure] })

async function readItem(
  deps: ItemSyncDependencies,
  source: Source,
  { externalId }: Named,
  signal: AbortSignal,
): Promise<ItemRead> {
  const { name } = findProvider(source.provider)
  try {
    const { adapter, session } = await deps.openAccount(source, signal)
    if (adapter.readItem === undefined)
      throw new AppError('item_not_synced', `${name} cannot sync a single item; sync the source instead`)
    return await adapter.readItem(session, { externalId, cursor: source.cursor })
  } catch (error) {
    signal.throwIfAborted()
    if (isItemsOwn(error)) return failedRead(ownFailure(externalId, 'It cannot be read', error))
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'rejected') return failedRead({ externalId, message: error.message })
    throw new AppError('upstream_error', `${name} answered: ${error.message}`, { cause: error })
  }
}

/** Stores and records the result in one transaction. @throws StoredSince */
async function store(
  { db, items, clock }: ItemSyncDependencies,
  viewer: Viewer,
  source: Source,
  { item, read }: { item: Named & { readAt: Date | null }; read: ItemRead },
  signal: AbortSignal,
): Promise<ItemSync> {
  const { organizationId } = viewer
  const found = read.upserts.map((one) => newItem(source, one))
  const upserted = new Map(found.map(({ externalId, metadata }) => [externalId, hasPolicy(metadata)]))
  const gone = read.deletions.map(storableText).filter((one) => !upserted.has(one))
  const notes = [...read.failures, ...(read.skipped ?? [])].filter(
    ({ externalId }) => externalId === item.externalId,
  )
  const reason = notes.map(({ message }) => message).join('; ') || null
  let outcome: ItemSyncOutcome = 'failed'
  const within: WithinWrite = async (tx, { items: stored, counts, isLast }, changes) => {
    const at = clock.now()
    await requireRunnable(tx, viewer, source.sourceId)
    await markReread(
      tx,
      source,
      stored.map(({ externalId }) => ({ externalId, hasPolicy: upserted.get(externalId) === true })),
      source.lastSnapshot,
    )
    if (!isLast) return
    if (item.readAt !== null && (await wereStoredSince(tx, source, gone, item.readAt)))
      throw new StoredSince()
    await dropClaims(tx, changes, source, gone, at)
    await renewFailures(tx, source, { failures: read.failures, skipped: read.skipped ?? [], gone }, at)
    // Another account may still have it.
    const isThere = (await findClaim(tx, organizationId, item.id)) !== undefined
    const isRead = upserted.has(item.externalId) || gone.includes(item.externalId)
    outcome = !isThere ? 'deleted' : !isRead ? 'failed' : counts.ingested > 0 ? 'updated' : 'unchanged'
    if (findProvider(source.provider).reportsReaders) await schedulePermissionPoll(tx, source, at)
    await recordEvent(tx, viewer, {
      action: 'source_item.sync',
      target: ['source_item', item.id],
      metadata: { provider: source.provider, connectorId: source.sourceId, outcome },
      providers: [source.provider],
      at,
    })
  }
  await storeWithPolicies(db, source, found, (complete, isCurrent) => {
    const check: CheckStored = (one, stored) => {
      if (item.readAt !== null && stored !== undefined && stored.syncedAt > item.readAt)
        throw new StoredSince()
      isCurrent(one, stored)
    }
    return items.write(organizationId, complete, within, { signal, clock, check })
  })
  return { outcome, reason }
}
