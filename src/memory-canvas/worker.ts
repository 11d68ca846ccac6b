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
import { isConflict, isDatabaseOutage, retryConflicts } from '../database/retry-conflicts.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlicesOf } from '../kernel/slices.ts'
import { RULES } from './extraction/rules.ts'
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

/** Reads stored items for the canvas, in the background. */
export interface CanvasWorker {
  /** Now and every two seconds: whatever is waiting. */
  start(): void
  /** Reads whatever is waiting now. Never rejects: failures are logged. */
  readWaiting(): Promise<void>
  /** Ends the work under way after its present batch and hands its lease back. */
  stop(): Promise<void>
}

export interface CanvasWorkerOptions {
  db: Db
  terms: TermWeights
  logger: Pick<Logger, 'warn' | 'error'>
  /** How many items were read, after each batch. */
  onRead: (items: number) => void
  /** Whether somebody asks the process for something, or just did: that comes first. */
  isBusy: () => boolean
  /** What items are read by; what other rules read is read again once nothing else waits. */
  rules?: string
}

const INTERVAL_MS = 2_000
/** Renewed with every batch; whoever held it without doing so counts as dead. */
const LEASE_SECONDS = 60
/** The event loop belongs to others after so long, and where there is one session only, it does after so long a transaction. */
const SLICE_MS = 4
const TRANSACTION_MS = 15
const ITEMS_MAX = 24
/** With fewer, most of a transaction is what each of them takes. */
const ITEMS_MIN = 4

/**
 * Goes through what organizations have stored that the canvas has not read as it is, one organization at a time, some items in each
 * transaction. What is left to do is told by the items themselves, so whoever follows a process that died goes on where that was.
 */
export function createCanvasWorker(options: CanvasWorkerOptions): CanvasWorker {
  const { db, logger, rules = RULES } = options
  const stopped = new AbortController()
  const { signal } = stopped

  /** Does something for an organization under its lease; nothing where another has that. */
  async function asHolder(organizationId: string, work: (read: ReadBatch) => Promise<void>): Promise<void> {
    const lease = await claim(db, organizationId)
    if (lease === null) return
    try {
      await work(createReadBatch({ ...options, organizationId, lease, rules, signal }))
    } catch (error) {
      if (!(error instanceof LeaseLost) && !signal.aborted) throw error
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

  /** Reads again what other rules have read, as long as nothing else waits; each organization once. */
  async function readOutdated(): Promise<void> {
    while (!signal.aborted && (await findWaitingOrganization(db, '')) === null) {
      const organizationId = await nextOrganization(db, lookedAt)
      if (organizationId === null) return
      const isDone = await tried(organizationId, readOutdatedOf)
      if (isDone === false) return
      lookedAt = organizationId
    }
  }

  async function tried<Result>(
    organizationId: string,
    work: (organizationId: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await work(organizationId).catch((err: unknown) => {
      logger.error({ organizationId, err }, 'the canvas could not be drawn on yet; it is tried again')
      return undefined
    })
  }

  const task = createTask({
    async act() {
      for (let after = ''; !signal.aborted;) {
        const organizationId = await findWaitingOrganization(db, after)
        if (organizationId === null) break
        after = organizationId
        await tried(organizationId, readAll)
      }
      await readOutdated()
    },
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'the search for what the canvas has not read failed'),
  })

  return {
    start: task.start,
    readWaiting: task.ask,
    async stop() {
      stopped.abort()
      await task.stop()
    },
  }
}

/** How many items the next transaction stores, after one of so many that took so long. */
function howMany(items: number, tookMs: number): number {
  return Math.max(ITEMS_MIN, Math.min(ITEMS_MAX, items * 2, Math.round((items * TRANSACTION_MS) / tookMs)))
}

/** Finds so many items at most, reads and stores them; false where there are none. */
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
    const read = await inSlicesOf(SLICE_MS, readingItems(found, terms), pause)
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

/**
 * What reads again all of an organization that other rules have read, and stops where something else waits: it goes on there when
 * it is called again.
 * @returns from what is returned: whether all has been looked at; what another process reads is that one's
 */
function createReadOutdated(
  db: Db,
  rules: string,
  asHolder: (organizationId: string, work: (read: ReadBatch) => Promise<void>) => Promise<void>,
): (organizationId: string) => Promise<boolean> {
  let place = { organizationId: '', itemId: '' }
  return async (organizationId) => {
    if (!(await hasOutdatedItems(db, organizationId, rules))) return true
    if (place.organizationId !== organizationId) place = { organizationId, itemId: '' }
    let isDone = true
    await asHolder(organizationId, async (read) => {
      isDone = false
      while (!isDone && (await findWaitingOrganization(db, '')) === null) {
        let last: string | null = null
        await read(async (limit) => {
          const page = await findOutdatedItems(db, organizationId, { rules, after: place.itemId, limit })
          const items = page.ids.length === 0 ? [] : await findItems(db, organizationId, page.ids)
          // Where they are too large together, the rest is found again.
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

/** Where one item cannot be stored, the others are, and it names nothing. */
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
      'what an item names could not be stored; the canvas goes on without it',
    )
    await storeOnce(storing, [{ item: only.item, entities: [] }])
  }
}

async function storeOnce(
  { db, organizationId, lease, rules }: Storing,
  read: readonly ReadItem[],
): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      // Another revision tells readers that the canvas has changed; the row's lock leaves it to this transaction.
      await renewLease(tx, lease, { seconds: LEASE_SECONDS, set: { revision: randomUUID() } })
      await storeReadItems(tx, organizationId, read, rules)
    }),
  )
}

const OrganizationRows = z.array(z.object({ organization_id: z.string() }))

/** The next organization after one, by id, of which something is waiting. */
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
