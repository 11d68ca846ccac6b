import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { isForeignKeyViolation } from '../database/retry-conflicts.ts'
import type { ModelRegistry } from '../models/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Readable, Viewer } from '../kernel/viewer.ts'
import { changePolicies, type PolicyChange, type PolicyRead, type PolicySource } from './change-policies.ts'
import { refuseDuplicates, requireSources, requireVectorRight } from './check-documents.ts'
import { deleteOne, deleteSeveral, type NamedItem } from './delete-items.ts'
import { exportItems } from './export-items.ts'
import {
  type DeletedSourceItem,
  type ItemPage,
  type ItemReader,
  type ListQuery,
  type SourceItem,
  toSourceItem,
} from './schemas.ts'
import type { CleanItem, NewItem, PushedItem } from './item.ts'
import { readersOf } from './item-readers.ts'
import { browseItems } from './filter-items.ts'
import type { BrowsePage, BrowseQuery, ChunkPage, ChunkQuery, DeletedSeveral } from './console-schemas.ts'
import { listChunks } from './list-chunks.ts'
import { listItems } from './list-items.ts'
import type { JournaledIngests } from './journaled-ingests.ts'
import { type CheckStored, cleanItems, embedPlainWords } from './prepare-items.ts'
import { blameItems } from './refused-by-model.ts'
import { findReadable, noSuchItem, requireReadable } from './shown-items.ts'
import type { StoreCounts } from './store-items.ts'
import type { WithinWrite } from './store-steps.ts'
import { ingestItems, writeItems } from './write-items.ts'

export interface Items {
  /** Stores documents, all or none; searchable on return. No sync run removes them. @throws AppError */
  ingest(
    caller: Caller,
    items: readonly PushedItem[],
    requestId: string,
    signal?: AbortSignal,
  ): Promise<StoreCounts>
  /** A page of the items that the viewer may read. @throws AppError `validation_failed` for an invalid cursor */
  list(viewer: Viewer, query: ListQuery): Promise<ItemPage>
  /** A page of the items that the viewer may read, with more filters. @throws AppError `validation_failed` */
  browse(viewer: Viewer, query: BrowseQuery): Promise<BrowsePage>
  /** @throws AppError `not_found` as `get` */
  chunks(viewer: Viewer, id: string, query: ChunkQuery): Promise<ChunkPage>
  removeSeveral(viewer: Viewer, ids: readonly string[]): Promise<DeletedSeveral>
  /** @throws AppError `not_found`, also for an item that the viewer may not read */
  get(viewer: Viewer, id: string): Promise<SourceItem>
  /**
   * The items that the viewer may read, as lines of an export.
   * @param after continues after this item
   * @param viewAgain what the viewer may read now, or its refusal: an export can take hours
   */
  export(
    viewer: Viewer,
    after: string | undefined,
    viewAgain: () => Promise<Viewer>,
  ): Promise<AsyncGenerator<string>>
  findReadable(viewer: Viewer, ids: readonly string[]): Promise<ReadonlySet<string>>
  /** The readers in an item's stored policy. @throws AppError `not_found` as `get` */
  readers(viewer: Viewer, id: string): Promise<ItemReader[]>
  /** Deletes one item with its chunks and vectors. @throws AppError `not_found`, also out of scope */
  remove(caller: Caller, item: NamedItem, readable?: Readable): Promise<DeletedSourceItem>
  /**
   * Writes items outside of any request. Chunks and embeds them, then stores them and runs `within` in one
   * transaction. On a database with one session, several transactions may each store a part. Items that changed
   * meanwhile are prepared again, so `within` may run more than once for an item. `within` runs while this call holds
   * the organization's item lock, so it must not wait for other changes. @throws AppError `embedding_model_mismatch`,
   * `upstream_error`; RefusedByModel if the embedding model refuses these items in particular; what `within` or
   * `how.check` throws
   * @param how.anewSince also replaces chunks and vectors of items with the same content, unless they were confirmed
   * after this time, by `how.clock`
   * @param how.check compares each item with its stored version before any is stored
   */
  write(
    organizationId: string,
    items: readonly NewItem[],
    within?: WithinWrite,
    how?: { signal?: AbortSignal; anewSince?: Date | undefined; check?: CheckStored; clock?: Clock },
  ): Promise<StoreCounts>
  /** Updates policies of items that a source's runs stored. Returns the count. */
  changePolicies(source: PolicySource, policies: readonly PolicyChange[], read: PolicyRead): Promise<number>
}

/** Concurrent ingests of this process. One slot always stays free for other organizations. */
const INGESTS = { concurrency: 3, concurrencyPerOwner: 2, waitMaxMs: 45_000 }
/** Concurrent reads of exports. */
const EXPORT_READS = { concurrency: 2, concurrencyPerOwner: 1, waitMaxMs: 45_000 }
/** The cost of a document without its text, in characters. */
const DOCUMENT_COST = 2_000

/** The items of organizations. @param deps.journaled for a database with one session and short transactions */
export function createItems(deps: {
  db: Db
  models: ModelRegistry
  clock: Clock
  journaled?: JournaledIngests | null
}): Items {
  const { db, models, clock, journaled = null } = deps
  const storing = { db, models, clock, journaled }
  const admit = createFairLimit({ what: 'ingests', ...INGESTS })
  const admitExport = createFairLimit({ what: 'exports', ...EXPORT_READS })

  return {
    async write(organizationId, items, within = async () => {}, how = {}) {
      const { signal, clock: given = clock, ...rest } = how
      const clean = await cleanItems(items, signal)
      const wanted = { organizationId, items: clean, within, ...rest }
      return await writeItems({ ...storing, clock: given }, wanted, signal).catch(async (error: unknown) => {
        throw await blameItems(error, () => embedPlainWords(db, models, organizationId, signal))
      })
    },
    async ingest(caller, items, requestId, signal) {
      const { organizationId } = caller
      requireVectorRight(caller, items)
      refuseDuplicates(items)
      const work = async (): Promise<StoreCounts> => {
        signal?.throwIfAborted()
        await requireSources(db, caller, items)
        const record = async (tx: Tx, { ingested, skipped }: StoreCounts): Promise<void> => {
          // A request may have removed the source during the embedding.
          await requireSources(tx, caller, items)
          await recordEvent(tx, caller, {
            action: 'source_item.ingest',
            target: ['ingest_request', requestId],
            metadata: { documents: items.length, ingested, skipped, ...vectorCount(items) },
            providers: [...new Set(items.map(({ provider }) => provider))],
            at: clock.now(),
          })
        }
        try {
          return await ingestItems(storing, { organizationId, items, record }, signal)
        } catch (error) {
          // The source's row was deleted meanwhile; this error names it.
          if (isForeignKeyViolation(error)) await requireSources(db, caller, items)
          throw error
        }
      }
      return await admit({ owner: organizationId, cost: costOf(items), run: work, signal })
    },
    list: (viewer, query) => listItems(db, viewer, query),
    browse: (viewer, query) => browseItems(db, viewer, query),
    async chunks(viewer, id, query) {
      if (!(await findReadable(db, viewer, [id])).has(id)) throw noSuchItem()
      return await listChunks(db, viewer.organizationId, id, query)
    },
    removeSeveral: (viewer, ids) => deleteSeveral(db, viewer, ids, clock.now()),
    get: async (viewer, id) => toSourceItem(await requireReadable(db, viewer, id)),
    export: (viewer, after, viewAgain) =>
      exportItems({ db, clock, admit: admitExport, viewAgain }, viewer, after),
    findReadable: (viewer, ids) => findReadable(db, viewer, ids),
    async readers(viewer, id) {
      await requireReadable(db, viewer, id)
      return await readersOf(db, viewer.organizationId, id)
    },
    remove: (caller, item, readable) => deleteOne(db, caller, item, readable, clock.now()),
    changePolicies: (source, policies, read) => changePolicies(db, source, policies, read),
  }
}

function vectorCount(items: readonly PushedItem[]): { withVectors?: number } {
  const count = items.filter(({ embedding }) => embedding !== undefined).length
  return count === 0 ? {} : { withVectors: count }
}

function costOf(items: readonly CleanItem[]): number {
  return items.reduce(
    (sum, { body, metadataJson }) => sum + body.length + metadataJson.length + DOCUMENT_COST,
    0,
  )
}
