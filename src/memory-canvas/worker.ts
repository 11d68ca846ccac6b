import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import {
  acquireLease,
  createTask,
  type Lease,
  LeaseLost,
  releaseLease,
  renewLease,
} from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { isConflict, isDatabaseOutage, transact } from '../database/retry-conflicts.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { runWithPauses } from '../kernel/cooperative.ts'
import { RULES } from './extraction/extract-entities.ts'
import { findOutdatedItems, hasOutdatedItems, nextOrganization } from './outdated-items.ts'
import { createPace } from './pace.ts'
import {
  findItems,
  findWaitingItems,
  type ReadItem,
  readingItems,
  storeReadItems,
  type WaitingItem,
} from './read-items.ts'
import type { Logger } from '../kernel/logger.ts'

export interface CanvasWorker {
  /** Reads waiting items now and every two seconds. */
  start(): void
  /** Reads all waiting items. Never rejects: failures are logged. */
  readWaiting(): Promise<void>
  /** Ends after the current batch and releases the lease. */
  stop(): Promise<void>
}

export interface CanvasWorkerOptions {
  db: Db
  terms: TermWeights
  logger: Pick<Logger, 'warn' | 'error'>
  /** Called after each batch with the number of items read. */
  onRead: (items: number) => void
  /** Whether the process is serving requests, or just was; they take precedence. */
  isBusy: () => boolean
  /** Items read by other rules are reread once nothing else waits. */
  rules?: string
}

const INTERVAL_MS = 2_000
/** Renewed with every batch, so an expired lease belongs to a dead process. */
const LEASE_SECONDS = 60
/** Time limit on the event loop, and on a transaction if the database has only one session. */
const BURST_MS = 4
const TRANSACTION_MS = 15
const ITEMS_MAX = 24
/** Smaller batches are dominated by the transaction's fixed cost. */
const ITEMS_MIN = 4

/** Reads items that the canvas has not read, by organization. Items record what is left, so a crash loses nothing. */
export function createCanvasWorker(options: CanvasWorkerOptions): CanvasWorker {
  const { db, logger, rules = RULES } = options

  /** Works on an organization under its lease; does nothing if another process holds it. */
  async function asHolder(organizationId: string, work: (read: ReadBatch) => Promise<void>): Promise<void> {
    const lease = await claim(db, organizationId)
    if (lease === null) return
    try {
      await work(createReadBatch({ ...options, organizationId, lease, rules, signal: task.signal }))
    } catch (error) {
      if (!(error instanceof LeaseLost) && !task.signal.aborted) throw error
    } finally {
      await releaseLease(db, lease)
    }
  }

  async function readAll(organizationId: string): Promise<void> {
    await asHolder(organizationId, async (read) => {
      while (await read((size) => findWaitingItems(db, organizationId, size)));
    })
  }

  const readOutdatedOf = createReadOutdated(db, rules, asHolder)
  let lookedAt = ''

  /** Rereads items of other rules while nothing else waits, each organization once. */
  async function readOutdated(): Promise<void> {
    while (!task.signal.aborted && (await findWaitingOrganization(db, '')) === null) {
      const organizationId = await nextOrganization(db, lookedAt)
      if (organizationId === null) return
      // Neither interrupted nor failed.
      const isDone = await tried(organizationId, readOutdatedOf)
      if (!isDone) return
      lookedAt = organizationId
    }
  }

  async function tried<Result>(
    organizationId: string,
    work: (organizationId: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await work(organizationId).catch((err: unknown) => {
      logger.error({ organizationId, err }, 'items could not be read for the canvas; will retry')
      return undefined
    })
  }

  const task = createTask({
    async act() {
      for (let after = ''; !task.signal.aborted;) {
        const organizationId = await findWaitingOrganization(db, after)
        if (organizationId === null) break
        after = organizationId
        await tried(organizationId, readAll)
      }
      await readOutdated()
    },
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'the search for items that the canvas has not read failed'),
  })

  return {
    start: task.start,
    readWaiting: task.ask,
    stop: task.stop,
  }
}

/** The size of the next batch, from the size and duration of the last. */
function howMany(items: number, tookMs: number): number {
  return Math.max(ITEMS_MIN, Math.min(ITEMS_MAX, items * 2, Math.round((items * TRANSACTION_MS) / tookMs)))
}

/** Reads and stores one batch of the found items; false: none found. */
type ReadBatch = (find: (size: number) => Promise<WaitingItem[]>) => Promise<boolean>

function createReadBatch(options: CanvasWorkerOptions & Storing & { signal: AbortSignal }): ReadBatch {
  const { organizationId, terms, logger, isBusy, onRead, signal } = options
  const pause = createPace(isBusy, signal)
  let size = ITEMS_MIN
  return async (find) => {
    await pause()
    const found = await find(size)
    if (found.length === 0) return false
    await pause()
    const read = await runWithPauses(BURST_MS, readingItems(found, terms), pause)
    for (const { item, error } of read) {
      if (error !== undefined)
        logger.warn(
          { organizationId, sourceItemId: item.id, err: error },
          'an item could not be read for the canvas',
        )
    }
    await pause()
    const started = performance.now()
    await store(options, read)
    size = howMany(size, performance.now() - started)
    onRead(read.length)
    return true
  }
}

/** Rereads items of other rules until something else waits. Its function returns whether all items were scanned. */
function createReadOutdated(
  db: Db,
  rules: string,
  asHolder: (organizationId: string, work: (read: ReadBatch) => Promise<void>) => Promise<void>,
): (organizationId: string) => Promise<boolean> {
  let place = { organizationId: '', itemId: '' }
  return async (organizationId) => {
    if (!(await hasOutdatedItems(db, organizationId, rules))) return true
    if (place.organizationId !== organizationId) place = { organizationId, itemId: '' }
    // Not done either while another process holds the lease, because it may have died.
    let isDone = false
    await asHolder(organizationId, async (read) => {
      while (!isDone && (await findWaitingOrganization(db, '')) === null) {
        let last: string | null = null
        await read(async (limit) => {
          const page = await findOutdatedItems(db, organizationId, { rules, after: place.itemId, limit })
          const items = page.ids.length === 0 ? [] : await findItems(db, organizationId, page.ids)
          // If the items are too large for one batch, the next call finds the rest.
          last = items.length < page.ids.length ? (items.at(-1)?.id ?? page.last) : page.last
          return items
        })
        isDone = last === null
        place.itemId = last ?? ''
      }
    })
    return isDone
  }
}

interface Storing {
  db: Db
  logger: Pick<Logger, 'warn' | 'error'>
  organizationId: string
  lease: Lease<'canvas_work'>
  rules: string
}

/** If one item cannot be stored, it names nothing and the others are stored. */
async function store(storing: Storing, read: readonly ReadItem[]): Promise<void> {
  try {
    return await storeOnce(storing, read)
  } catch (error) {
    if (error instanceof LeaseLost || isDatabaseOutage(error) || isConflict(error)) throw error
    const [only] = read
    if (read.length > 1) {
      for (const one of read) await store(storing, [one])
      return
    }
    if (!only || only.entities.length === 0) throw error
    const { organizationId, logger } = storing
    logger.warn(
      { organizationId, sourceItemId: only.item.id, err: error },
      'the names of an item could not be stored; the canvas continues without them',
    )
    await storeOnce(storing, [{ item: only.item, entities: [] }])
  }
}

async function storeOnce(
  { db, organizationId, lease, rules }: Storing,
  read: readonly ReadItem[],
): Promise<void> {
  await transact(db, async (tx) => {
    // Readers detect a changed canvas by its revision. The row lock makes this transaction its only writer.
    await renewLease(tx, lease, { seconds: LEASE_SECONDS, set: { revision: randomUUID() } })
    await storeReadItems(tx, organizationId, read, rules)
  })
}

const OrganizationRows = z.array(z.object({ organization_id: z.string() }))

async function findWaitingOrganization(db: Db, after: string): Promise<string | null> {
  const beyond = after === '' ? sql`` : sql`and organization_id > ${after}`
  const { rows } = await sql`
    select organization_id from source_items where canvas_sha256 is distinct from content_sha256 ${beyond}
    order by organization_id limit 1`.execute(db)
  return OrganizationRows.parse(rows)[0]?.organization_id ?? null
}

async function claim(db: Db, organizationId: string): Promise<Lease<'canvas_work'> | null> {
  if (await isBeingRemoved(db, organizationId)) return null
  await sql`
    insert into canvas_work (organization_id) values (${organizationId}) on conflict (organization_id) do nothing`.execute(
    db,
  )
  const key = { organization_id: organizationId }
  return await acquireLease(db, { table: 'canvas_work', key }, { seconds: LEASE_SECONDS })
}

async function isBeingRemoved(db: Db, organizationId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from organizations where id = ${organizationId} and removed_at is not null`.execute(db)
  return rows.length > 0
}
