import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { createTask, isLeaseFree, leaseEnd } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { isConflict, isDatabaseOutage, retryConflicts } from '../database/retry-conflicts.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlicesOf } from '../kernel/slices.ts'
import { createPace } from './pace.ts'
import { findWaitingItems, type ReadItem, readingItems, storeReadItems } from './read-items.ts'

/** What of a logger is needed here. */
export interface CanvasLogger {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

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
  logger: CanvasLogger
  /** How many items were read, after each batch. */
  onRead: (items: number) => void
  /** Whether somebody asks the process for something, or just did: that comes first. */
  isBusy: () => boolean
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

class LeaseLost extends Error {
  constructor() {
    super('the lease of the canvas was lost')
    this.name = 'LeaseLost'
  }
}

/**
 * Goes through what organizations have stored that the canvas has not read as it is, one organization at a time, some items in each
 * transaction. What is left to do is told by the items themselves, so whoever follows a process that died goes on where that was.
 */
export function createCanvasWorker({ db, terms, logger, onRead, isBusy }: CanvasWorkerOptions): CanvasWorker {
  const stopped = new AbortController()
  const { signal } = stopped

  async function readAll(organizationId: string): Promise<void> {
    const leaseId = await claim(db, organizationId)
    if (leaseId === null) return
    const pause = createPace(isBusy, signal)
    let items = ITEMS_MIN
    try {
      for (;;) {
        await pause()
        const waiting = await findWaitingItems(db, organizationId, items)
        if (waiting.length === 0) return
        await pause()
        const read = await inSlicesOf(SLICE_MS, readingItems(waiting, terms), pause)
        for (const { item, error } of read) {
          if (error !== undefined)
            logger.warn(
              { organizationId, sourceItemId: item.id, err: error },
              'an item could not be read for the canvas',
            )
        }
        await pause()
        const started = performance.now()
        await store({ db, logger, organizationId, leaseId }, read)
        items = howMany(items, performance.now() - started)
        onRead(read.length)
      }
    } catch (error) {
      if (!(error instanceof LeaseLost) && !signal.aborted) throw error
    } finally {
      await release(db, organizationId, leaseId)
    }
  }

  const task = createTask({
    async act() {
      for (let after = ''; !signal.aborted;) {
        const organizationId = await findWaitingOrganization(db, after)
        if (organizationId === null) return
        after = organizationId
        await readAll(organizationId).catch((err: unknown) => {
          logger.error({ organizationId, err }, 'the canvas could not be drawn on yet; it is tried again')
        })
      }
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

interface Storing {
  db: Db
  logger: CanvasLogger
  organizationId: string
  leaseId: string
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

async function storeOnce({ db, organizationId, leaseId }: Storing, read: readonly ReadItem[]): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await renew(tx, organizationId, leaseId)
      await storeReadItems(tx, organizationId, read)
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

async function claim(db: Db, organizationId: string): Promise<string | null> {
  const leaseId = randomUUID()
  await sql`
    insert into canvas_work (organization_id) values (${organizationId}) on conflict (organization_id) do nothing`.execute(
    db,
  )
  const { numAffectedRows } = await sql`
    update canvas_work set lease_id = ${leaseId}, lease_expires_at = ${leaseEnd(LEASE_SECONDS)}
    where organization_id = ${organizationId} and ${isLeaseFree('lease_expires_at')}`.execute(db)
  return numAffectedRows === 1n ? leaseId : null
}

/** Keeps the lease, and with its row the canvas to itself until the transaction ends. @throws LeaseLost */
async function renew(tx: Tx, organizationId: string, leaseId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update canvas_work set lease_expires_at = ${leaseEnd(LEASE_SECONDS)}
    where organization_id = ${organizationId} and lease_id = ${leaseId}`.execute(tx)
  if (numAffectedRows !== 1n) throw new LeaseLost()
}

async function release(db: Db, organizationId: string, leaseId: string): Promise<void> {
  await sql`
    update canvas_work set lease_id = null, lease_expires_at = null
    where organization_id = ${organizationId} and lease_id = ${leaseId}`.execute(db)
}
