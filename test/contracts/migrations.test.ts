import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LAYOUT } from '../../src/database/distribution/layout.ts'

/*
 * Migrations run on databases that are already distributed. This test finds unsupported `alter table` statements in
 * their text. A suite on a cluster would miss them, because it migrates an empty database on one server.
 */

/** The last migration of the first distributable version. */
const LAST_BEFORE = '0011_removed_sources.sql'
const FOLDER = new URL('../../src/database/migrations/', import.meta.url)

const withoutComments = (text: string): string => text.replaceAll(/--.*$/gm, '')

/** Splits a list at commas outside parentheses. */
function partsOf(list: string, open = 0): string[] {
  const parts = ['']
  for (const character of list) {
    if (character === '(') open += 1
    if (character === ')') open -= 1
    if (character === ',' && open === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim())
}

/** The table changes that a distributed database refuses. */
function refused(migration: string): string[] {
  const text = withoutComments(migration)
  const created = new Set([...text.matchAll(/\bcreate table (\w+)/g)].map(([, table]) => table))
  return [...text.matchAll(/\balter table (\w+)\s([^;]*)/g)].flatMap(([statement, table = '', list = '']) => {
    const isPlain =
      created.has(table) || Object.entries(LAYOUT).some(([name, at]) => name === table && at === 'plain')
    const parts = partsOf(list)
    const isRefused = parts.some(
      (part) =>
        /^add column\b.*\b(check|unique|references|primary key|constraint)\b/s.test(part) ||
        (/^add (?!column\b)/.test(part) && (parts.length > 1 || !part.startsWith('add constraint '))),
    )
    return isRefused && !isPlain ? [statement] : []
  })
}

describe('migrations of a distributed database', () => {
  it.each([
    ['a column with a check', 'alter table sources add column a text check (a in (1, 2));'],
    [
      'a column that refers',
      'alter table sources\n  add column a text,\n  add column b uuid references users (id);',
    ],
    [
      'a constraint beside a column',
      'alter table sources add column a text, add constraint c check (a > 1);',
    ],
    ['a constraint without a name', 'alter table sources add check (a > 1);'],
  ])('are caught when they add %s', (_, text) => {
    expect(refused(text)).toEqual([text.slice(0, -1)])
  })

  it.each([
    [
      'columns alone',
      "alter table sources add column a text not null default '{}', add column b numeric(3, 2);",
    ],
    ['a constraint alone', 'alter table sources add constraint c check (a in (1, 2));'],
    [
      'to a table that the same one creates',
      'create table a (b int); alter table a add column c int check (c > 1);',
    ],
    ['to a table that is never distributed', 'alter table rate_windows add column c int check (c > 1);'],
    ['in a remark', '-- alter table sources add check (a > 1);'],
  ])('may add %s', (_, text) => {
    expect(refused(text)).toEqual([])
  })

  it('add columns without constraints, and each constraint separately, by name', () => {
    const later = readdirSync(FOLDER).filter((name) => name.endsWith('.sql') && name > LAST_BEFORE)
    expect(later.length).toBeGreaterThan(0)
    const found = later.flatMap((name) =>
      refused(readFileSync(new URL(name, FOLDER), 'utf8')).map((statement) => `${name}: ${statement}`),
    )
    expect(found).toEqual([])
  })
})
