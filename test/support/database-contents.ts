import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'

/**
 * What may change although a request is refused: call counts and times, and what background work derives from stored
 * data.
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

/**
 * A fingerprint of every table (row count and a content hash), to show that nothing was stored. Excludes what every
 * request updates (rate windows, the request log, last use of keys and users) and the memory canvas.
 */
export async function databaseContents(db: Db): Promise<Record<string, string>> {
  const names = (await tablesOf(db)).filter((name) => !NOT_COMPARED.has(name))
  const known = contents.get(db) ?? new Map<string, Content>()
  contents.set(db, known)
  // Hashing takes most of the time, so only what transactions wrote since the last call is hashed.
  const versions = await oneOfEach(
    names,
    db,
    (name) => sql`
    select ${name}::text as name, concat(count(*), ' ', sum(xmin::text::bigint)) as value from ${sql.table(name)}`,
  )
  const changed = names.filter((name) => known.get(name)?.version !== versions.get(name))
  const states = await oneOfEach(
    changed,
    db,
    (name) => sql`
    select ${name}::text as name, count(*)::int || ' rows ' ||
      coalesce(md5(string_agg((to_jsonb(t) - 'last_used_at' - 'seen_at' - 'canvas_sha256')::text, ',' order by t::text)), '') as value
    from ${sql.table(name)} t`,
  )
  for (const [name, state] of states) known.set(name, { version: versions.get(name), state })
  return Object.fromEntries(names.map((name) => [name, known.get(name)?.state ?? '']))
}

interface Content {
  /** Changes with every stored row version. */
  version: string | undefined
  state: string
}
const contents = new WeakMap<Db, Map<string, Content>>()

/** @returns the value that a statement for each table gives, by table */
async function oneOfEach(
  names: readonly string[],
  db: Db,
  select: (name: string) => RawBuilder<unknown>,
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{
    name: string
    value: string
  }>`${sql.join(names.map(select), sql` union all `)}`.execute(db)
  return new Map(rows.map(({ name, value }) => [name, value]))
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
