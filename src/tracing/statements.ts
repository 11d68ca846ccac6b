import type { LogEvent } from 'kysely'
import type { Tracer } from '../kernel/tracer.ts'

/** The start of a statement, enough to find its operation and table. */
const LOOKED_AT = 2_000
const OPERATION = /^\s{0,20}(\w{1,20})/
const TABLE = /\b(?:from|into|update|join)\s{1,10}"?([a-z_]{1,63})"?/i

/** Records the operation and the first table of each statement, without text or values. */
export function traceStatements(tracer: Tracer): (event: LogEvent) => void {
  return (event) => {
    const { name, attributes } = describe(event.query.sql)
    tracer.record(name, event.queryDurationMillis, {
      attributes,
      failure: event.level === 'error' ? { error: event.error } : undefined,
    })
  }
}

function describe(sql: string): { name: string; attributes: Record<string, string> } {
  const text = sql.slice(0, LOOKED_AT)
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const table = TABLE.exec(text)?.[1]
  const name = table === undefined ? operation : `${operation} ${table}`
  return {
    name,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': name,
      ...(table === undefined ? {} : { 'db.collection.name': table }),
    },
  }
}
