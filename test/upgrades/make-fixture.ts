/**
 * Makes `version-N.json.gz`: what an older version of the service stored and answered, for `upgrades.db.test.ts`.
 * Arguments: a checkout of that version with its packages installed, and the file to write.
 *
 *   git archive 84b0165 | tar x -C /tmp/older && (cd /tmp/older && npm ci --omit=dev --ignore-scripts)
 *   node test/upgrades/make-fixture.ts /tmp/older test/upgrades/version-0002.json.gz
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { z } from 'zod'
import { openEmbedded } from '../../src/database/drivers/embedded.ts'
import { freePort, untilReady } from '../support/service-process.ts'
import { ADMIN_KEY, type Answered, type Fixture, QUERIES, statementsHash, textsOf } from './fixture.ts'

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })
const Minted = z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) })
const Found = z.object({ hits: z.array(z.object({ title: z.string(), content: z.string() })) })

/** In an order in which they can be restored. */
const TABLES = [
  'embedding_models',
  'organizations',
  'subscriptions',
  'api_keys',
  'audit_events',
  'sources',
  'source_items',
  'chunks',
  'chunk_embeddings',
]

const [checkout = '', target = ''] = process.argv.slice(2)
const dataDir = await mkdtemp(path.join(tmpdir(), 'memory-fixture-'))
const answered = await fill()
const fixture: Fixture = { migrations: await migrations(), tables: await dump(), answered }
await writeFile(target, gzipSync(JSON.stringify(fixture), { level: 9 }))
await rm(dataDir, { recursive: true })

/** Starts the older version, gives it documents and keys, and queries it. */
async function fill(): Promise<Answered> {
  const port = await freePort()
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      LOG_LEVEL: 'error',
    },
    stdio: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady({ child, url })
  const call = async <T>(schema: z.ZodType<T>, method: string, route: string, body?: unknown): Promise<T> => {
    const response = await fetch(url + route, {
      method,
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`)
    return schema.parse(await response.json())
  }
  const { sources } = await call(Sources, 'GET', '/v1/sources')
  for (const provider of ['notion', 'google_drive']) {
    const connectorId = sources.find((source) => source.provider === provider)?.id ?? ''
    await call(z.unknown(), 'POST', '/v1/ingest', { documents: textsOf(provider, connectorId) })
  }
  const mint = (name: string, more: object) =>
    call(Minted, 'POST', '/v1/api-keys', { name, allowedActions: ['search'], ...more })
  const limited = await mint('Limited', { allowedProviders: ['notion'] })
  const revoked = await mint('Revoked', {})
  await call(z.unknown(), 'DELETE', `/v1/api-keys/${revoked.apiKey.id}`)
  const searches: Answered['searches'] = []
  for (const query of QUERIES) {
    const { hits } = await call(Found, 'POST', '/v1/search', { query, limit: 3 })
    searches.push({ query, hits: hits.map(({ title, content }) => ({ title, content })) })
  }
  child.kill('SIGTERM')
  await once(child, 'close')
  return { limitedKey: limited.secret, revokedKey: revoked.secret, searches }
}

/** The older version's migrations, each with its hash: the statements of an applied migration never change. */
async function migrations(): Promise<Fixture['migrations']> {
  const folder = path.join(checkout, 'src/database/migrations')
  const found: Fixture['migrations'] = {}
  for (const name of (await readdir(folder)).toSorted())
    found[name.replace(/\.sql$/, '')] = statementsHash(await readFile(path.join(folder, name), 'utf8'))
  return found
}

/** Every row of every table, as JSON for `jsonb_populate_recordset`. */
async function dump(): Promise<Fixture['tables']> {
  const database = await openEmbedded({ dataDir })
  const tables: Fixture['tables'] = {}
  for (const name of TABLES) {
    const kept = await sql<{
      row: Record<string, unknown>
    }>`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(database.db)
    tables[name] = kept.rows.map(({ row }) => row)
  }
  await database.close()
  return tables
}
