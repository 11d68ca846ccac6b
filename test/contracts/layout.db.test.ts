import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LAYOUT, type Placement } from '../../src/database/distribution/layout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const tables = Object.keys(LAYOUT)
const placements: Record<string, Placement> = LAYOUT

interface ForeignKey {
  from: string
  to: string
  columns: string[]
}

async function foreignKeys(): Promise<ForeignKey[]> {
  // A distributed database hides shards in `pg_class`; their foreign keys do not matter here.
  const { rows } = await sql<ForeignKey>`
    select k.conrelid::regclass::text as "from", k.confrelid::regclass::text as "to",
      array(select a.attname::text from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`.execute(database.db)
  return rows
}

describe('the layout of a distributed database', () => {
  it('places every table of the migrated schema', async () => {
    const { rows } = await sql<{ name: string }>`
      select tablename::text as name from pg_tables where schemaname = 'public'`.execute(database.db)
    const ours = rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'))
    expect(ours.toSorted()).toEqual(tables.toSorted())
  })

  it('distributes by organization exactly the tables that have one', async () => {
    const { rows } = await sql<{ name: string; position: number | null }>`
      select t.tablename::text as name, array_position(i.indkey::int2[], a.attnum) as position
      from pg_tables t
      left join pg_attribute a on a.attrelid = t.tablename::regclass and a.attname = 'organization_id'
      left join pg_index i on i.indrelid = t.tablename::regclass and i.indisunique and a.attnum is not null
      where t.schemaname = 'public'`.execute(database.db)
    const tenants = rows.filter(({ name }) => placements[name] === 'tenant')
    expect(new Set(tenants.map(({ name }) => name)).size).toBe(
      Object.values(LAYOUT).filter((placement) => placement === 'tenant').length,
    )
    // Uniqueness holds within one server, so every unique index must include the organization.
    expect(tenants.filter(({ position }) => position === null)).toEqual([])
  })

  it('distributes a table after those it references', async () => {
    const early = (await foreignKeys()).filter(({ from, to }) => tables.indexOf(from) < tables.indexOf(to))
    expect(early).toEqual([])
  })

  it('has only foreign keys that a distributed database supports: to reference tables, and within an organization', async () => {
    const allowed = ({ from, to, columns }: ForeignKey) =>
      placements[to] === 'reference' ||
      (placements[from] === 'tenant' && placements[to] === 'tenant' && columns.includes('organization_id'))
    const found = await foreignKeys()
    expect(found.length).toBeGreaterThan(10)
    expect(found.filter((key) => !allowed(key))).toEqual([])
    expect(found.filter(({ from }) => placements[from] === 'plain')).toEqual([])
  })
})
