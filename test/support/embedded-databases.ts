import { openAsBlob } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { createPGlite } from '../../src/database/drivers/embedded.ts'
import { snapshotPath } from './database-setup.ts'

/** How many wait to be used again; each holds some 100 MB. */
const KEPT_MAX = 2
/** The first id of what is no part of PostgreSQL itself. */
const FIRST_OWN_OID = 16_384
/** What says how the tables are made, by the column of the object's id. */
const CATALOGS = {
  pg_class: 'oid',
  pg_attribute: 'attrelid',
  pg_attrdef: 'oid',
  pg_constraint: 'oid',
  pg_index: 'indexrelid',
  pg_inherits: 'inhrelid',
  pg_namespace: 'oid',
  pg_policy: 'oid',
  pg_proc: 'oid',
  pg_rewrite: 'oid',
  pg_sequence: 'seqrelid',
  pg_trigger: 'oid',
  pg_type: 'oid',
  pg_extension: 'oid',
  pg_authid: 'oid',
} as const
/** Where its rows lie, and what the database has counted of them. */
const OF_STORAGE =
  "array['relfilenode', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid']"

/** Emptied and ready. */
const kept: PGlite[] = []
const stateWhenLoaded = new WeakMap<PGlite, string>()

/**
 * A migrated, empty embedded database: one that was given back, or a new one. To load one takes ten times the processor's
 * time of emptying one, and more than many a test.
 */
export async function takeEmbedded(): Promise<PGlite> {
  const waiting = kept.pop()
  if (waiting) return waiting
  const pglite = await createPGlite({ loadDataDir: await openAsBlob(snapshotPath()) })
  stateWhenLoaded.set(pglite, await stateOf(pglite))
  return pglite
}

/** Takes a database back: for the next test if it can be made just as it was loaded, else it is closed. */
export async function giveBackEmbedded(pglite: PGlite): Promise<void> {
  if (kept.length < KEPT_MAX && (await empty(pglite))) kept.push(pglite)
  else await pglite.close()
}

/** @returns whether nothing tells it from one that was just loaded: no row, no setting, no change to its tables. */
async function empty(pglite: PGlite): Promise<boolean> {
  try {
    await pglite.exec('discard all')
    const { rows } = await pglite.query<{ names: string | null }>(
      `select string_agg(oid::regclass::text, ', ') as names from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely\\_%'
         and pg_relation_size(oid) > 0`,
    )
    const names = rows[0]?.names
    if (names) await pglite.exec(`truncate ${names} restart identity cascade`)
    await pglite.exec(`delete from pg_statistic where starelid >= ${FIRST_OWN_OID}`)
    return (await stateOf(pglite)) === stateWhenLoaded.get(pglite)
  } catch {
    // A test has left it so that it takes no statement: it is not used again.
    return false
  }
}

/** All by which two databases can differ: rows, sequences, settings of the session, and how the tables are made. */
async function stateOf(pglite: PGlite): Promise<string> {
  const { rows: tables } = await pglite.query<{ name: string; kind: string }>(
    `select oid::regclass::text as name, relkind::text as kind from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') order by 1`,
  )
  const parts = [
    `select name, setting from pg_settings where source = 'session'`,
    'select slot_name::text, slot_type from pg_replication_slots',
    'select datname::text, datallowconn::text from pg_database',
    'select setdatabase::text, setconfig::text from pg_db_role_setting',
    ...Object.entries(CATALOGS).map(
      ([name, id]) =>
        `select '${name}', (to_jsonb(c) - ${OF_STORAGE})::text from ${name} c where ${id} >= ${FIRST_OWN_OID}`,
    ),
    ...tables.map(({ name, kind }) =>
      kind === 'S'
        ? `select '${name}', concat(last_value, is_called) from ${name}`
        : `select '${name}', t::text from ${name} t`,
    ),
  ]
  const { rows } = await pglite.query<{ state: string }>(
    `select md5(string_agg(concat_ws(' ', what, value), ',' order by what, value)) as state
     from (${parts.join(' union all ')}) as parts (what, value)`,
  )
  return rows[0]?.state ?? ''
}
