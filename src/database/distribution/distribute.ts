import { sql } from 'kysely'
import { z } from 'zod'
import { StartupError } from '../../kernel/errors.ts'
import type { Db, Tx } from '../database.ts'
import { LAYOUT, type Placement } from './layout.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

/** The advisory lock that a process holds while it distributes tables. */
const DISTRIBUTION_LOCK = 727_403

/** The placement of this table shows whether a database is distributed. */
const MARKER = 'subscriptions'

/** One catalog query that works on any PostgreSQL. */
async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('pg_dist_partition') is not null as found`.execute(db)
  return rows[0]?.found ?? false
}

export async function isDistributed(db: Db): Promise<boolean> {
  if (!(await hasCitus(db))) return false
  return (await readPlacements(db)).get(MARKER)?.placement === 'tenant'
}

/** Distributes new tables of a distributed database. @returns their names. @throws StartupError */
export async function distributeNewTables(db: Db): Promise<string[]> {
  if (!(await isDistributed(db))) return []
  const distributed: string[] = []
  await distributeTables(db, (table) => distributed.push(table))
  return distributed
}

/**
 * Places every table by the layout, with its rows, in one transaction; tables already in place stay. It needs a
 * connection without timeouts and with the settings that Citus requires.
 * @param onTable called for each table before it is placed
 * @throws StartupError that names the table and the statement that failed, or a table that the layout lacks
 */
export async function distributeTables(
  db: Db,
  onTable: (table: string, placement: Placement) => void,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${DISTRIBUTION_LOCK})`.execute(tx)
    const found = await readPlacements(tx)
    const placed: string[] = []
    for (const [table, placement] of Object.entries(LAYOUT)) {
      const is = found.get(table)?.placement
      if (is === placement) continue
      const text = statement(table, placement)
      if (text === null || (is !== 'plain' && is !== 'coordinator')) throw misplaced(table, is, placement)
      onTable(table, placement)
      // When on, Citus adds every table that refers to a reference table to the coordinator. Only coordinator tables
      // want that.
      const adopt = placement === 'coordinator' ? 'on' : 'off'
      await sql.raw(`set local citus.enable_local_reference_table_foreign_keys to ${adopt}`).execute(tx)
      await run(tx, table, text)
      if (placement !== 'coordinator') placed.push(table)
    }
    // After all tables are placed: a table cannot be emptied while an undistributed table refers to it.
    for (const table of placed)
      await run(tx, table, `select truncate_local_data_after_distributing_table('${table}')`)
    requireNoneForgotten(await readPlacements(tx))
  })
}

const Tables = z.array(
  z.object({
    name: z.string(),
    placement: z.enum(['reference', 'tenant', 'coordinator', 'plain']),
    has_tenants: z.boolean(),
  }),
)

type Placements = ReadonlyMap<string, z.output<typeof Tables>[number]>

/** Where the tables are now (https://docs.citusdata.com/en/stable/develop/api_metadata.html#partition-table). */
async function readPlacements(db: Db): Promise<Placements> {
  const { rows } = await sql`
    select c.relname::text as name,
      case when p.partmethod = 'h' then 'tenant'
           when p.partmethod = 'n' and p.repmodel = 't' then 'reference'
           when p.partmethod = 'n' and not p.autoconverted then 'coordinator'
           -- Citus adds what refers to its tables by itself, and may take it out again.
           else 'plain' end as placement,
      exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped) as has_tenants
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`.execute(db)
  return new Map(Tables.parse(rows).map((row) => [row.name, row]))
}

/** The statement that places a table; null when it needs none. */
function statement(table: string, placement: Placement): string | null {
  switch (placement) {
    case 'reference':
      return `select create_reference_table('${table}')`
    case 'coordinator':
      return `select citus_add_local_table_to_metadata('${table}', cascade_via_foreign_keys => true)`
    case 'tenant': {
      const group = table === MARKER ? 'none' : MARKER
      return `select create_distributed_table('${table}', 'organization_id', colocate_with => '${group}')`
    }
    case 'plain':
      return null
  }
}

async function run(tx: Tx, table: string, text: string): Promise<void> {
  try {
    await sql.raw(text).execute(tx)
  } catch (error) {
    const reason = messageOf(error)
    throw new StartupError(`The table "${table}" could not be distributed by \`${text}\`: ${reason}`, {
      cause: error,
    })
  }
}

/** @throws StartupError that names a tenant table that is neither distributed nor in the layout */
function requireNoneForgotten(tables: Placements): void {
  const known: Partial<Record<string, Placement>> = LAYOUT
  for (const { name, placement, has_tenants: hasTenants } of tables.values()) {
    if (placement === 'tenant' || !hasTenants || known[name] !== undefined) continue
    throw new StartupError(
      `The table "${name}" has an organization_id but is not distributed like the other tables: its rows would ` +
        `outlive their organization. Run \`${statement(name, 'tenant')}\`, or move it to another schema`,
    )
  }
}

function misplaced(table: string, is: Placement | undefined, placement: Placement): StartupError {
  if (is === undefined) return new StartupError(`The table "${table}" is missing; run the migrations first`)
  return new StartupError(
    `The table "${table}" is distributed as "${is}" instead of "${placement}"; run ` +
      `\`select undistribute_table('${table}')\` and start again`,
  )
}
