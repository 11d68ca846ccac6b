import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { createPGlite } from '../../src/database/drivers/embedded-pglite.ts'
import { startEmbeddedThread } from '../../src/database/drivers/embedded-thread.ts'
import { embeddedDatabase } from '../../src/database/drivers/embedded.ts'
import { openPostgres } from '../../src/database/drivers/postgres.ts'
import { distributeTables } from '../../src/database/distribution/distribute.ts'
import { migrate } from '../../src/database/migrate.ts'

const ROOT = new URL('../../', import.meta.url)
const CACHE_FOLDER = new URL('node_modules/.cache/test-database/', ROOT)
const SNAPSHOT_TIMEOUT_MS = 300_000
const LEFT_OVER_AFTER_S = 3_600
/** The holder of this advisory lock creates the template. */
const TEMPLATE_LOCK = 727_401

/** A hash of everything a migrated, empty database depends on: the migrations, the embedded engine and this file. 12 hex digits. */
export function schemaFingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)))
  const folder = new URL('src/database/migrations/', ROOT)
  for (const name of readdirSync(folder).toSorted())
    hash.update(name).update(readFileSync(new URL(name, folder)))
  for (const name of ['pglite', 'pglite-pgvector']) {
    hash.update(readFileSync(new URL(`node_modules/@electric-sql/${name}/package.json`, ROOT)))
  }
  return hash.digest('hex').slice(0, 12)
}

/** The file with a migrated, empty embedded database. */
export function snapshotPath(): string {
  return fileURLToPath(new URL(`${schemaFingerprint()}.tar`, CACHE_FOLDER))
}

/** A folder with the same database, as a stopped service leaves it on disk. */
export function databaseFolder(): string {
  return fileURLToPath(new URL(`${schemaFingerprint()}/`, CACHE_FOLDER))
}

/** The workers of the distributed PostgreSQL whose coordinator `TEST_DATABASE_URL` names; none if that is a plain server. */
export function workerUrls(): string[] {
  return (process.env.TEST_WORKER_URLS ?? '').split(',').filter((url) => url !== '')
}

/** The PostgreSQL database that test databases are cloned from. */
export function templateName(): string {
  return `test_template_${schemaFingerprint()}`
}

/** Prepares the databases that `createTestDatabase` copies. Vitest calls it once for each project with database suites. */
export default async function setup(project: TestProject): Promise<void> {
  const { TEST_DRIVER, TEST_DATABASE_URL } = project.config.env
  if (TEST_DRIVER === 'postgres') await makeTemplate(String(TEST_DATABASE_URL))
  else await makeSnapshot()
}

/**
 * Creates the embedded database that tests copy, unless it exists. It uses a separate process, because creating one in
 * WebAssembly leaves a gigabyte of memory behind.
 */
export async function makeSnapshot(): Promise<void> {
  if (existsSync(snapshotPath())) return
  const self = fileURLToPath(import.meta.url)
  await promisify(execFile)(process.execPath, [self], { timeout: SNAPSHOT_TIMEOUT_MS })
}

async function writeSnapshot(): Promise<void> {
  const unfinished = fileURLToPath(new URL(randomUUID(), CACHE_FOLDER))
  await mkdir(CACHE_FOLDER, { recursive: true })
  const thread = await startEmbeddedThread({ folder: unfinished })
  const database = embeddedDatabase(thread)
  await migrate(database.db)
  // Two thirds of the files, which tests never read.
  for (const name of ['template0', 'template1']) {
    await thread.query('update pg_database set datistemplate = false where datname = $1', [name])
    await thread.query(`drop database ${name}`)
  }
  await database.close()
  const pglite = await createPGlite({ folder: unfinished })
  const snapshot = await pglite.dumpDataDir('none')
  await pglite.close()
  await writeFile(`${unfinished}.tar`, new Uint8Array(await snapshot.arrayBuffer()))
  // Renamed when complete, so that a concurrent run never reads half of it. The snapshot comes last, because its existence
  // means that everything is there. The second process uses the result of the first.
  await rename(unfinished, databaseFolder()).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY') throw error
    await rm(unfinished, { recursive: true })
  })
  await rename(`${unfinished}.tar`, snapshotPath())
}

/** Creates the PostgreSQL database that test databases are cloned from, unless it exists. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    await dropLeftOvers(client)
    const name = templateName()
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    const workers = workerUrls()
    const servers = [...workers, serverUrl]
    const unfinished = `${name}_unfinished`
    for (const server of servers) {
      await withClient(server, async (maker) => {
        await maker.query(`drop database if exists ${unfinished} with (force)`)
        await maker.query(`create database ${unfinished}`)
      })
    }
    if (workers.length > 0) await makeCluster(unfinished, serverUrl, workers)
    const url = databaseUrl(serverUrl, unfinished)
    const database = await openPostgres({ url, connectionsMax: 1, isPatient: true })
    try {
      await migrate(database.db)
      if (workers.length > 0) await distributeTables(database.db, () => {})
    } finally {
      await database.close()
    }
    // The coordinator's comes last, because its existence means that the template is complete.
    for (const server of servers) await withClient(server, (maker) => finishTemplate(maker, unfinished, name))
  })
}

/** Turns databases of the same name on several servers into a coordinator and its workers. */
async function makeCluster(name: string, coordinator: string, workers: readonly string[]): Promise<void> {
  for (const server of [coordinator, ...workers])
    await withClient(databaseUrl(server, name), (client) => client.query('create extension citus'))
  await withClient(databaseUrl(coordinator, name), async (client) => {
    const [host, port] = addressOf(coordinator)
    await client.query('select citus_set_coordinator_host($1, $2)', [host, port])
    for (const worker of workers) await client.query('select citus_add_node($1, $2)', addressOf(worker))
  })
}

/** Background workers of a distributed database must end before the template can be copied. */
async function finishTemplate(client: Client, unfinished: string, name: string): Promise<void> {
  await client.query(`alter database ${unfinished} with allow_connections false`)
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
    unfinished,
  ])
  await client.query(`alter database ${unfinished} rename to ${name}`)
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = name
  return url.href
}

function addressOf(server: string): [host: string, port: number] {
  const { hostname, port } = new URL(server)
  return [hostname, Number(port)]
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Drops the databases of runs that were killed: their names contain the second of their creation. */
async function dropLeftOvers(client: Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database
     where datname ~ '^test_[0-9]+_' and split_part(datname, '_', 2)::bigint < extract(epoch from now()) - $1`,
    [LEFT_OVER_AFTER_S],
  )
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
}

if (import.meta.main) await writeSnapshot()
