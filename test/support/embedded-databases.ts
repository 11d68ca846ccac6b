import { setImmediate } from 'node:timers/promises'
import { createPGlite } from '../../src/database/drivers/embedded-pglite.ts'
import { EmbeddedSession } from '../../src/database/drivers/embedded-session.ts'
import { embeddedThread, type EmbeddedThread } from '../../src/database/drivers/embedded-thread.ts'
import { snapshotPath } from './database-setup.ts'

/** The number of databases to reuse; each takes about 100 MB. */
const KEPT_MAX = 2
/** The first id beyond PostgreSQL's own objects. */
const FIRST_OWN_OID = 16_384
/** Catalogs of definitions. Any change adds a row with a higher transaction ID, or removes one. */
const CATALOGS = [
  'pg_class',
  'pg_attribute',
  'pg_attrdef',
  'pg_constraint',
  'pg_index',
  'pg_inherits',
  'pg_namespace',
  'pg_policy',
  'pg_proc',
  'pg_rewrite',
  'pg_sequence',
  'pg_trigger',
  'pg_type',
  'pg_extension',
  'pg_authid',
]

/** `discard all` without the prepared statements, which the driver relies on. */
const FORGET = [
  'close all',
  'set session authorization default',
  'reset all',
  'unlisten *',
  'select pg_advisory_unlock_all()',
  'discard plans',
  'discard temp',
  'discard sequences',
]

/** Emptied and ready. */
const kept: EmbeddedThread[] = []
const stateWhenLoaded = new WeakMap<EmbeddedThread, string>()
/** Migrations fill them; a database whose rows of them a test changed is not reused. */
const FILLED_BY_MIGRATIONS = ['named_providers', 'kysely_migration', 'kysely_migration_lock']

/**
 * A migrated, empty embedded database: a returned one, or a new one. Loading one takes ten times the CPU of emptying
 * one, and more than many tests.
 */
export async function takeEmbedded(): Promise<EmbeddedThread> {
  const waiting = kept.pop()
  if (waiting) return waiting
  const database = await openHere()
  stateWhenLoaded.set(database, await stateOf(database))
  return database
}

/**
 * On this thread, with the service's own message protocol: separate threads would take a quarter more CPU for a whole
 * run. `drivers/embedded.test.ts` and tests of the service process use threads.
 */
async function openHere(): Promise<EmbeddedThread> {
  const session = new EmbeddedSession(await createPGlite({ snapshot: snapshotPath() }))
  let hasEnded = false
  return embeddedThread({
    get hasEnded() {
      return hasEnded
    },
    tell: (message) => session.begin(message),
    async ask(request) {
      const received = structuredClone(request)
      const outcome = await session.answer(received)
      // Yields to other work, like a message would.
      await setImmediate()
      return structuredClone(outcome)
    },
    async end() {
      hasEnded = true
    },
  })
}

/** Returns a database for the next test if it can be reset completely; else closes it. */
export async function giveBackEmbedded(database: EmbeddedThread): Promise<void> {
  if (kept.length < KEPT_MAX && (await empty(database))) kept.push(database)
  else await database.close()
}

/** @returns whether it equals a newly loaded one: no rows, settings or changes to its tables. */
async function empty(database: EmbeddedThread): Promise<boolean> {
  try {
    for (const statement of FORGET) await database.query(statement)
    const { rows } = await database.query<{ names: string | null }>(
      `select string_agg(oid::regclass::text, ', ') as names from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all ($1)
         and pg_relation_size(oid) > 0`,
      [FILLED_BY_MIGRATIONS],
    )
    const names = rows[0]?.names
    if (names) await deleteRows(database, names)
    await database.query(`delete from pg_statistic where starelid >= ${FIRST_OWN_OID}`)
    return (await stateOf(database)) === stateWhenLoaded.get(database)
  } catch {
    // The test left it unusable.
    return false
  }
}

/** As `truncate … restart identity cascade` does, for a fifth of the CPU: that one renews every file of every table. */
async function deleteRows(database: EmbeddedThread, names: string): Promise<void> {
  // Without foreign keys and triggers.
  await database.query('set session_replication_role = replica')
  for (const name of names.split(', ')) await database.query(`delete from ${name}`)
  await database.query('reset session_replication_role')
  await database.query(`select setval(seqrelid, seqstart, false) from pg_sequence`)
  await database.query(`vacuum ${names}`)
}

/** Everything in which two databases can differ: rows, sequences, session settings and definitions. */
async function stateOf(database: EmbeddedThread): Promise<string> {
  const parts = [
    `select name, setting from pg_settings where source = 'session'`,
    'select slot_name::text, slot_type from pg_replication_slots',
    'select datname::text, datallowconn::text from pg_database',
    'select setdatabase::text, setconfig::text from pg_db_role_setting',
    ...CATALOGS.map(
      (name) => `select '${name}', concat(count(*), ' ', max(xmin::text::bigint)) from ${name}`,
    ),
    `select relname::text, pg_relation_size(oid)::text from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    'select sequencename::text, last_value::text from pg_sequences',
    ...FILLED_BY_MIGRATIONS.map((name) => `select '${name}', t::text from ${name} t`),
  ]
  const { rows } = await database.query<{ state: string }>(
    `select md5(string_agg(concat_ws(' ', what, value), ',' order by what, value)) as state
     from (${parts.join(' union all ')}) as parts (what, value)`,
  )
  return rows[0]?.state ?? ''
}
