import { type RawBuilder, sql } from 'kysely'

/**
 * When a lease ends that is taken or renewed now. By the database's clock, so that the clocks of processes do not matter, and
 * by `statement_timestamp()`, which is stable: a distributed PostgreSQL takes no volatile function in an update.
 */
export function leaseEnd(seconds: number): RawBuilder<Date> {
  return sql<Date>`statement_timestamp() + make_interval(secs => ${seconds})`
}

/** Whether nobody holds the lease whose end is in a column: none was taken, or it has run out. */
export function isLeaseFree(column: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} < statement_timestamp())`
}
