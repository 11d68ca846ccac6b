import { randomUUID } from 'node:crypto'
import { createTask } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { ModelRegistry } from '../models/index.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { itemLockOf } from '../item-changes/index.ts'
import { endClaims } from './claims.ts'
import {
  commitIngest,
  erase,
  findJournaled,
  type IngestRef,
  readParts,
  writeParts,
} from './ingest-journal.ts'
import type { CleanItem } from './item.ts'
import {
  compareAgain,
  isMoved,
  isStoredAs,
  itemsOf,
  type PreparedItems,
  prepareItems,
  StalePreparation,
} from './prepare-items.ts'
import {
  cutSteps,
  pauseForOthers,
  type Step,
  type StepStorage,
  storeAllSteps,
  storeSteps,
} from './store-steps.ts'
import { type StoreCounts, untilFresh } from './store-items.ts'

/** Audits a caller's documents in the transaction that commits their ingest. */
export type RecordIngest = (tx: Tx, counts: StoreCounts) => Promise<void>

/** Large ingests on a database with one session: several short transactions that are atomic together. */
export interface JournaledIngests {
  /** Storage for steps, which sync runs use too. */
  storage: StepStorage
  /**
   * Writes the documents to the journal, commits the ingest in one transaction with `record`, and stores
   * them. A committed ingest is always completed, after a crash by the next start; until then no other change
   * of the organization's items runs.
   * @throws StalePreparation, the reason of `signal`, what `record` throws: nothing is stored. After any
   * other error of the database or a model, the ingest may be committed.
   */
  store(prepared: PreparedItems, record: RecordIngest, signal?: AbortSignal): Promise<StoreCounts>
  /**
   * Finishes the ingests of an earlier process. Failures are retried every minute and block the organization's items.
   */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface JournaledIngestsOptions extends StepStorage {
  models: ModelRegistry
  /** Reports a committed ingest that failed to finish; it will be retried. */
  onError: (error: unknown) => void
}

const RETRY_MS = 60_000
const RETRY_AFTER_SECONDS = 60

/** Requires a database that no other process has open. */
export function createJournaledIngests(options: JournaledIngestsOptions): JournaledIngests {
  const { db, onError } = options
  const lock = itemLockOf(db)
  const finishLater = (ingest: IngestRef): void =>
    lock.leaveUnfinished(ingest.organizationId, () => finish(options, ingest))
  const retrying = createTask({
    act: async () => {
      for (const organizationId of lock.unfinished()) await lock.finish(organizationId).catch(onError)
    },
    intervalMs: RETRY_MS,
    onError,
    waitsFirst: true,
  })
  return {
    storage: options,
    store: (prepared, record, signal) =>
      lock.exclusive(prepared.organizationId, async () => {
        const fresh = await compareAgain(db, prepared)
        signal?.throwIfAborted()
        return await decideAndStore(options, fresh, record, finishLater)
      }),
    async start() {
      for (const { isCommitted, ...ingest } of await findJournaled(db)) {
        if (isCommitted) finishLater(ingest)
        else await erase(db, ingest)
      }
      await retrying.ask()
      retrying.start()
    },
    stop: retrying.stop,
  }
}

async function decideAndStore(
  options: JournaledIngestsOptions,
  prepared: PreparedItems,
  record: RecordIngest,
  finishLater: (ingest: IngestRef) => void,
): Promise<StoreCounts> {
  const { db } = options
  const { organizationId, stored } = prepared
  const given = itemsOf(prepared)
  const items = given.filter((item) => !isStoredAs(stored, item) || isMoved(stored, item))
  const counts = { ingested: items.length, skipped: given.length - items.length }
  const ref = { organizationId, ingestId: randomUUID() }
  let rest: readonly Step[]
  try {
    const last = await writeParts(db, ref, items)
    const first = await storeFirstSteps(options, prepared, async (tx, isLast) => {
      await endClaims(tx, organizationId, given)
      await record(tx, counts)
      if (!isLast) await commitIngest(tx, ref, last)
    })
    rest = first.rest
  } catch (error) {
    // The next start deletes the rest.
    await erase(db, ref).catch(() => {})
    throw error
  }
  try {
    if (rest.length > 0) await pauseForOthers()
    await storeAllSteps(options, prepared, rest).catch(async (error: unknown) => {
      if (!(error instanceof StalePreparation)) throw error
      await storeAnew(options, organizationId, items)
    })
    await erase(db, ref)
  } catch (error) {
    finishLater(ref)
    throw error
  }
  return counts
}

/** Stores steps in the transaction that commits the ingest, but no large text while another request waits. */
async function storeFirstSteps(
  options: JournaledIngestsOptions,
  prepared: PreparedItems,
  decideWith: (tx: Tx, isLast: boolean) => Promise<void>,
): Promise<{ rest: readonly Step[] }> {
  const steps = await cutSteps(options, prepared)
  const isLater = steps[0]?.isLargeRow === true && options.isAwaited()
  const first = isLater ? [] : steps
  const { rest } = await storeSteps(options, prepared, first, (tx, { isLast }) =>
    decideWith(tx, isLast && !isLater),
  )
  return { rest: isLater ? steps : rest }
}

/** Stores a committed ingest again from its journal. @throws AppError `overloaded`, with the reason as its cause */
async function finish(options: JournaledIngestsOptions, ref: IngestRef): Promise<void> {
  const { db } = options
  const { organizationId } = ref
  try {
    for await (const items of readParts(db, ref)) {
      if (items.length === 0) continue
      const sourceIds = await findSources(db, organizationId, items)
      const kept = items.filter((item) => sourceIds.has(item.sourceId))
      await storeAnew(options, organizationId, kept)
    }
    await erase(db, ref)
  } catch (cause) {
    throw unavailable('overloaded', 'Earlier documents cannot be stored yet', RETRY_AFTER_SECONDS, cause)
  }
}

async function findSources(
  db: Db,
  organizationId: string,
  items: readonly CleanItem[],
): Promise<Set<string>> {
  const ids = [...new Set(items.map(({ sourceId }) => sourceId))]
  const rows = await db
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Prepares items with the current models and stores them. The caller must hold the organization's items. */
async function storeAnew(
  options: JournaledIngestsOptions,
  organizationId: string,
  items: readonly CleanItem[],
): Promise<void> {
  await untilFresh(async () => {
    const prepared = await prepareItems(options.db, options.models, { organizationId, items, by: 'push' })
    await storeAllSteps(options, prepared, await cutSteps(options, prepared))
  })
}
