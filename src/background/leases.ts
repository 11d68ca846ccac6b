import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'

/** Tables in which only one process at a time works on a row. */
export const LEASED_TABLES = [
  'approximate_indexes',
  'canvas_work',
  'evidence_calibrations',
  'organizations',
  'overage_reports',
  'payment_accounts',
  'permission_polls',
  'reembeddings',
  'sync_runs',
  'webhook_deliveries',
] as const
export type LeasedTable = (typeof LEASED_TABLES)[number]

/** Identifies one row: the primary key, with the organization. */
type Key<T extends LeasedTable> = { readonly [C in keyof Row<T>]?: string | number }

type Values<T extends LeasedTable> = { readonly [C in keyof Row<T>]?: Row<T>[C] | RawBuilder<Row<T>[C]> }

/** The right to work on a row until it expires. */
export interface Lease<T extends LeasedTable = LeasedTable> {
  readonly table: T
  readonly key: Key<T>
  readonly id: string
}

/** Another process has acquired the row, or the row was deleted. The holder must write nothing more. */
export class LeaseLost extends Error {
  constructor(table: LeasedTable) {
    super(`lost the lease of a row of ${table}`)
    this.name = 'LeaseLost'
  }
}

/** The columns of a row that has no lease. */
export const NO_LEASE = { lease_id: null, lease_expires_at: null } as const

/**
 * The expiry of a lease that is acquired or renewed now. It uses the database's clock, so that the clocks of processes
 * do not matter, and the stable `statement_timestamp()`: Citus refuses a volatile function in an update.
 */
export function leaseEnd(seconds: number): RawBuilder<Date> {
  return sql<Date>`statement_timestamp() + make_interval(secs => ${seconds})`
}

/** Whether the lease that ends at this column's time is free: never acquired, or expired. */
export function isLeaseFree(column: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} < statement_timestamp())`
}

/** Acquires the lease of a row and sets `set`. @returns null when another process holds it or `where` is false */
export async function acquireLease<T extends LeasedTable>(
  db: Db,
  row: { table: T; key: Key<T> },
  options: { seconds: number; set?: Values<T>; where?: RawBuilder<boolean> },
): Promise<Lease<T> | null> {
  const { id, end } = columnsOf(row.table)
  const leaseId = randomUUID()
  const { numAffectedRows } = await sql`
    update ${sql.table(row.table)}
    set ${assignments({ ...options.set, [id]: leaseId, [end]: leaseEnd(options.seconds) })}
    where ${matches(row.key)} and ${isLeaseFree(end)} and ${options.where ?? sql`true`}`.execute(db)
  return numAffectedRows === 1n ? { table: row.table, key: row.key, id: leaseId } : null
}

/** Renews a lease and sets `set`. In a transaction it also locks the row. @throws LeaseLost */
export async function renewLease<T extends LeasedTable>(
  db: Db,
  lease: Lease<T>,
  options: { seconds: number; set?: Values<T>; where?: RawBuilder<boolean> },
): Promise<void> {
  const { end } = columnsOf(lease.table)
  const isHeld = await update(db, lease, { ...options.set, [end]: leaseEnd(options.seconds) }, options.where)
  if (!isHeld) throw new LeaseLost(lease.table)
}

/** Locks a row until the transaction ends. @throws LeaseLost */
export async function requireLease<T extends LeasedTable>(
  tx: Db,
  lease: Lease<T>,
  where: RawBuilder<boolean> = sql`true`,
): Promise<void> {
  const { rows } = await sql`
    select 1 from ${sql.table(lease.table)} where ${isHeldBy(lease)} and ${where} for update`.execute(tx)
  if (rows.length === 0) throw new LeaseLost(lease.table)
}

/** Sets values while the lease holds. @returns whether it does */
export async function updateHeld<T extends LeasedTable>(
  db: Db,
  lease: Lease<T>,
  set: Values<T>,
): Promise<boolean> {
  return await update(db, lease, set)
}

/**
 * Releases a lease and sets `set`.
 * @param options.waitSeconds the delay before the lease can be acquired again
 * @returns whether it was still held
 */
export async function releaseLease<T extends LeasedTable>(
  db: Db,
  lease: Lease<T>,
  { set, waitSeconds }: { set?: Values<T>; waitSeconds?: number | null } = {},
): Promise<boolean> {
  const { id, end } = columnsOf(lease.table)
  return await update(db, lease, { ...set, [id]: null, [end]: waitSeconds ? leaseEnd(waitSeconds) : null })
}

/** Releases every lease, of a dead process. Only for a database that no other process can have open. */
export async function releaseAllLeases(db: Db): Promise<void> {
  for (const table of LEASED_TABLES) {
    const { id, end } = columnsOf(table)
    await sql`
      update ${sql.table(table)} set ${assignments({ [id]: null, [end]: null })}
      where ${sql.ref(id)} is not null`.execute(db)
  }
}

async function update(
  db: Db,
  lease: Lease,
  set: object,
  where: RawBuilder<boolean> = sql`true`,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(lease.table)} set ${assignments(set)} where ${isHeldBy(lease)} and ${where}`.execute(
    db,
  )
  return numAffectedRows === 1n
}

function columnsOf(table: LeasedTable): { id: string; end: string } {
  const prefix = table === 'organizations' ? 'removal_' : ''
  return { id: `${prefix}lease_id`, end: `${prefix}lease_expires_at` }
}

function isHeldBy({ table, key, id }: Lease): RawBuilder<boolean> {
  return sql`${matches(key)} and ${sql.ref(columnsOf(table).id)} = ${id}`
}

function assignments(values: object): RawBuilder<unknown> {
  return sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
}

function matches(key: object): RawBuilder<unknown> {
  const conditions = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql.join(conditions, sql` and `)
}
