import { createHash } from 'node:crypto'
import { CompiledQuery, type QueryResult } from 'kysely'
import type { Db } from './database.ts'

/** The names of prepared statements by their text. A name tells the text, so that one on a shared connection is never another's. */
const names = new Map<string, string>()

/** Runs a prepared statement with the values of `$1`, `$2` and so on. */
export type Prepared<Row> = (db: Db, values: readonly unknown[]) => Promise<QueryResult<Row>>

/**
 * A statement that a connection parses and plans once and then only runs, which takes a fifth of the time. For those whose best
 * plan is the same for every organization and any values: rows by their key. Made once, where its module is loaded: connections
 * keep each text for as long as they live.
 * @param text SQL that names no value but as a parameter
 */
export function prepare<Row>(text: string): Prepared<Row> {
  names.set(text, `s${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)
  return (db, values) => db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
}

/** Connections keep each shape; rarer ones are parsed every time. */
const SHAPES_MAX = 64

/**
 * Runs statements of one kind whose text differs by a few shapes, such as the fields of a filter: the first shapes are prepared, as
 * {@link prepare} does. Only for statements whose best plan is the same for every organization and any values.
 */
export function createPreparedShapes(
  shapesMax = SHAPES_MAX,
): <Row>(db: Db, statement: CompiledQuery<Row>) => Promise<QueryResult<Row>> {
  const shapes = new Set<string>()
  return async (db, statement) => {
    if (!shapes.has(statement.sql) && shapes.size < shapesMax) {
      prepare(statement.sql)
      shapes.add(statement.sql)
    }
    return await db.executeQuery(statement)
  }
}

/** The name under which connections keep a statement; undefined for one that is parsed each time. */
export function preparedName(text: string): string | undefined {
  return names.get(text)
}
