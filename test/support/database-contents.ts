import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { prepare, type Prepared } from '../../src/database/prepared.ts'

/**
 * Columns that may change although a request is refused: call counts, times, and data that background work derives.
 */
const NOT_COMPARED = new Set([
  'rate_windows',
  'request_log',
  'evidence_calibrations',
  'canvas_work',
  'entities',
  'item_entities',
  'entity_totals',
  'entity_names',
])

/** Columns that each request or background work updates. */
const COLUMNS_NOT_COMPARED = ['last_used_at', 'seen_at', 'canvas_sha256']

/**
 * A fingerprint of every table (row count and a content hash), to show that nothing was stored. Excludes what every
 * request updates (rate windows, the request log, last use of keys and users) and the memory canvas.
 */
export async function databaseContents(db: Db): Promise<Record<string, string>> {
  const { version, tables } = await statementsOf(db)
  const known = contents.get(db) ?? new Map<string, Content>()
  contents.set(db, known)
  // Only what transactions wrote since the last call is hashed.
  for (const { name, value } of (await version(db, [])).rows) {
    const state = tables.get(name)
    if (state === undefined || known.get(name)?.version === value) continue
    const { rows } = await state(db, [])
    known.set(name, { version: value, state: rows[0]?.value ?? '' })
  }
  return Object.fromEntries([...tables.keys()].map((name) => [name, known.get(name)?.state ?? '']))
}

interface Content {
  /** Changes with every stored row version. */
  version: string
  state: string
}
const contents = new WeakMap<Db, Map<string, Content>>()

interface Statements {
  version: Prepared<{ name: string; value: string }>
  /** Gives the state of one table, by its name. */
  tables: ReadonlyMap<string, Prepared<{ value: string }>>
}
const statements = new WeakMap<Db, Promise<Statements>>()

/** Prepared, because planning them takes longer than running them. */
function statementsOf(db: Db): Promise<Statements> {
  const known = statements.get(db) ?? makeStatements(db)
  statements.set(db, known)
  return known
}

async function makeStatements(db: Db): Promise<Statements> {
  const { rows } = await sql<{ name: string; columns: string }>`
    select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and column_name not in (${sql.join(COLUMNS_NOT_COMPARED)})
    group by table_name`.execute(db)
  const compared = rows.filter(({ name }) => !NOT_COMPARED.has(name))
  const versions = compared.map(
    ({ name }) =>
      `select '${name}' as name, concat(count(*), ' ', sum(xmin::text::bigint)) as value from ${name}`,
  )
  const tables = compared.map(({ name, columns }) => {
    // A sum, because sorting takes longer than hashing.
    const state = `select concat(count(*), ' rows ', sum(hashtextextended(row(${columns})::text, 0))) as value from ${name}`
    return [name, prepare<{ value: string }>(state)] as const
  })
  return { version: prepare(versions.join(' union all ')), tables: new Map(tables) }
}

export async function tablesWith(db: Db, text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await tablesOf(db)) {
    const { rows } =
      await sql`select 1 from ${sql.table(name)} t where strpos(t::text, ${text}) > 0 limit 1`.execute(db)
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Cached by database: listing the tables takes longer than reading them. */
const tables = new WeakMap<Db, Promise<string[]>>()

function tablesOf(db: Db): Promise<string[]> {
  const known = tables.get(db) ?? findTables(db)
  tables.set(db, known)
  return known
}

async function findTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  return rows.map(({ name }) => name)
}
