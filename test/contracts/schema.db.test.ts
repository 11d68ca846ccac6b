import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

interface Column {
  nullable: boolean
  /** The database fills it in when it is omitted. */
  generated: boolean
}
const FILES = [
  'schema.ts',
  'schema-billing.ts',
  'schema-evaluations.ts',
  'schema-people.ts',
  'schema-sources.ts',
  'schema-columns.ts',
]
type Tables = Record<string, Record<string, Column>>

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** The tables declared by `interface Schema` of src/database/schema.ts, including inherited ones. */
async function declaredTables(): Promise<Tables> {
  const statements: ts.Statement[] = []
  for (const name of FILES) {
    const text = await readFile(new URL(`../../src/database/${name}`, import.meta.url), 'utf8')
    statements.push(...ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true).statements)
  }
  const membersOf = (name: string): ts.NodeArray<ts.TypeElement> => {
    const found = statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name)
    if (!found) throw new Error(`schema.ts has no interface ${name}`)
    return found.members
  }
  const tables = ['BillingSchema', 'EvaluationsSchema', 'PeopleSchema', 'SourcesSchema', 'Schema'].flatMap(
    (name) => propertiesOf(membersOf(name)),
  )
  return Object.fromEntries(tables.map(([table, type]) => [table, columnsOf(type, membersOf)]))
}

function columnsOf(
  table: ts.TypeNode,
  membersOf: (name: string) => ts.NodeArray<ts.TypeElement>,
): Record<string, Column> {
  // Columns shared by several tables are in an interface of their own.
  if (ts.isIntersectionTypeNode(table))
    return Object.assign({}, ...table.types.map((part) => columnsOf(part, membersOf)))
  if (ts.isTypeReferenceNode(table)) return columnsIn(membersOf(table.typeName.getText()))
  if (!ts.isTypeLiteralNode(table)) throw new Error(`${table.getText()} is no list of columns`)
  return columnsIn(table.members)
}

function columnsIn(members: ts.NodeArray<ts.TypeElement>): Record<string, Column> {
  return Object.fromEntries(
    propertiesOf(members).map(([name, type]) => {
      const text = type.getText()
      const nullable = /^Nullable(<|Json\b)|\| null>?$/.test(text)
      return [name, { nullable, generated: text.startsWith('Generated<') }]
    }),
  )
}

function propertiesOf(members: ts.NodeArray<ts.TypeElement>): [name: string, type: ts.TypeNode][] {
  return members.map((member) => {
    if (!ts.isPropertySignature(member) || !member.type) throw new Error(`${member.getText()} has no type`)
    return [member.name.getText(), member.type]
  })
}

async function migratedTables(): Promise<Tables> {
  const { rows } = await sql<{ table: string; column: string } & Column>`
    select c.table_name as "table", c.column_name as "column", c.is_nullable = 'YES' as nullable,
      c.column_default is not null or c.is_identity = 'YES' as generated
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`.execute(database.db)
  const byTable = Map.groupBy(rows, ({ table }) => table)
  return Object.fromEntries(
    [...byTable].map(([table, columns]) => [
      table,
      Object.fromEntries(columns.map(({ column, nullable, generated }) => [column, { nullable, generated }])),
    ]),
  )
}

describe('src/database/schema.ts', () => {
  it('declares every column of the migrated database, with its nullability and defaults', async () => {
    const migrated = await migratedTables()
    // Nothing queries the migrations' own bookkeeping.
    const known = Object.entries(migrated).filter(([table]) => !/migration/.test(table))
    expect(await declaredTables()).toEqual(Object.fromEntries(known))
  })
})
