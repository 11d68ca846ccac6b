import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { LAYOUT, type Placement } from '../../src/database/distribution/layout.ts'

/*
 * Statements run on PGlite, PostgreSQL and distributed PostgreSQL. This test checks those rules of distributed
 * PostgreSQL that the text shows; the database suites with TEST_WORKER_URLS check the others.
 */

interface Literal {
  /** Relative to src. */
  file: string
  line: number
  /** As written, including the source text inside `${}`. */
  text: string
}

const SRC = new URL('../../src/', import.meta.url)
const SQL = /\b(select|insert into|update|delete from|returning|set)\b/
const VOLATILE = /\b(now|clock_timestamp|timeofday|random|gen_random_uuid|uuid_generate_v\w+|nextval)\s*\(/

const tablesAt = (place: Placement): Set<string> =>
  new Set(Object.entries(LAYOUT).flatMap(([table, placement]) => (placement === place ? [table] : [])))
const tenantTables = tablesAt('tenant')
const referenceTables = tablesAt('reference')

/** Every string and template in a text. Includes the expressions in a template's `${}` and their strings. */
function literalsOf(file: string, text: string): Literal[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Literal[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ file, line: line + 1, text: node.getText().slice(1, -1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function literals(): Literal[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => literalsOf(file, readFileSync(new URL(file, SRC), 'utf8')))
}

const placeOf = ({ file, line }: Literal): string => `${file}:${line}`

/**
 * Whether it uses a volatile function in an update or RETURNING of a distributed table. Without a table, or on a
 * plain one, it may.
 */
function readsVolatile({ text }: Literal): boolean {
  return VOLATILE.test(text.replaceAll(/\$\{[^}]*\}/g, ' '))
}

/** The tenant tables of a statement whose rows it does not compare by organization. */
function unboundTables({ text }: Literal): string[] {
  const mentions = text.matchAll(/\b(?:from|join|using|update|delete from)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/g)
  return [...mentions].flatMap(([, table = '', next = '']) => {
    if (!tenantTables.has(table)) return []
    const alias = /^(|where|set|on|using|join|left|cross|order|limit|group|returning|for)$/.test(next)
      ? ''
      : next
    const column =
      alias === ''
        ? String.raw`(?:\b${table}\.|(?<![.\w]))organization_id`
        : String.raw`\b${alias}\.organization_id`
    return new RegExp(`${column}\\b`).test(text) ? [] : [table]
  })
}

/** The tables in a text, with their aliases. */
const tablesOf = (text: string): { table: string; name: string }[] =>
  [
    ...text.matchAll(/\b(?:from|join)\s+(\w+)(?:\s+(?!where|on|join|left|cross|order|limit|group)(\w+))?/g),
  ].map(([, table = '', alias]) => ({ table, name: alias ?? table }))

/** Whether it reads only reference tables, with a tenant table in a subquery per row. */
function asksTenantsOfEachRow({ text }: Literal): boolean {
  const { outer, inner } = apart(text.replaceAll(/\$\{[^}]*\}/g, ' '))
  const read = tablesOf(outer)
  return (
    read.length > 0 &&
    read.every(({ table }) => referenceTables.has(table)) &&
    tablesOf(inner).some(({ table }) => tenantTables.has(table)) &&
    read.some(({ name }) => new RegExp(String.raw`\b${name}\.`).test(inner))
  )
}

/** Separates a text inside parentheses from the rest. */
function apart(text: string, within = ''): { outer: string; inner: string } {
  const found = text.match(/\([^()]*\)/g)
  return found === null
    ? { outer: text, inner: within }
    : apart(text.replaceAll(/\([^()]*\)/g, ' '), `${within} ${found.join(' ')}`)
}

describe('statements', () => {
  const statements = literals().filter(({ text }) => SQL.test(text))

  it('are found, and violations of the rules are detected', () => {
    expect(statements.length).toBeGreaterThan(50)
    const [broken] = literalsOf('x.ts', '`update sources set at = now() where id = ${id}`')
    expect(broken && readsVolatile(broken)).toBe(true)
    expect(broken && unboundTables(broken)).toEqual(['sources'])
    const [joined] = literalsOf(
      'x.ts',
      '`select from chunks c join sources s on s.id = c.id where c.organization_id = 1`',
    )
    expect(joined && unboundTables(joined)).toEqual(['sources'])
    const [bound] = literalsOf(
      'x.ts',
      '`select from chunks c where c.organization_id = 1 and now < ${clock.now()}`',
    )
    expect(bound && (readsVolatile(bound) || unboundTables(bound).length > 0)).toBe(false)
  })

  it('join tenant tables to reference tables, instead of using subqueries', () => {
    const [beside] = literalsOf(
      'x.ts',
      '`select from organizations o where not exists (select from sources s where s.organization_id = o.id)`',
    )
    expect(beside && asksTenantsOfEachRow(beside)).toBe(true)
    expect(statements.filter(asksTenantsOfEachRow).map(placeOf)).toEqual([])
  })

  it('have no parameter after `on conflict` where they insert rows of JSON', () => {
    // The workers get only that part, in which the other parameters have no type.
    const readsParameter = ({ text }: Literal): boolean =>
      /\bfrom json_\w+\(/.test(text) && /\bon conflict\b[^`]*\$\d/.test(text)
    const [broken] = literalsOf(
      'x.ts',
      '`insert into t select from json_to_recordset($1) as r(n int) on conflict (n) do update set n = $2`',
    )
    expect(broken && readsParameter(broken)).toBe(true)
    expect(statements.filter(readsParameter).map(placeOf)).toEqual([])
  })

  it('call no volatile function, except where listed with a reason', () => {
    const volatile = literals().filter(readsVolatile)
    expect([...new Set(volatile.map(({ file }) => file))].toSorted()).toEqual([
      // Selects the time, from no table.
      'background/database-clock.ts',
      // Its table is never distributed.
      'rate-limits/rate-limit.ts',
    ])
  })

  it('use `case when x = …`, never `case x when …`', () => {
    expect(
      statements.filter(({ text }) => /\bcase\s+(?!when\b)[\w.]+\s+when\b/i.test(text)).map(placeOf),
    ).toEqual([])
  })

  it('compare the rows of every tenant table by organization', () => {
    const unbound = statements.flatMap((literal) =>
      unboundTables(literal).map((table) => `${placeOf(literal)} ${table}`),
    )
    expect(unbound).toEqual([])
  })
})
