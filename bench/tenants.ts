import { sql } from 'kysely'
import { z } from 'zod'
import { insertApiKey, newApiKeySecret } from '../src/access/index.ts'
import type { Db, Tx } from '../src/database/database.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { insertOrganization } from '../src/organizations/index.ts'
import { insertPushOnlySource } from '../src/sources/index.ts'
import { createRandom } from '../emulators/kit/random.ts'
import { benchQuery } from './corpus.ts'
import { CHUNKS_A_DOCUMENT, environmentOf, fill, inNewDatabase, namedServer, type Place } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { percentile } from './search.ts'
import { call, startServer } from './server.ts'

/*
 * npm run bench -- tenants [organizations] [chunks of each] [SEARCH_MEMORY_MB]: searches of random
 * organizations on PostgreSQL, with memory for some of them.
 */

const SEARCHES = 6_000

interface Copied {
  from: string
  to: string
  sourceId: string
}

const Organization = z.tuple([z.object({ id: z.string(), embedding_model_id: z.number() })])

interface Result {
  organizations: number
  chunksEach: number
  memoryMb: number
  heldMb: number
  heldOrganizations: number
  residentMb: number
  fromMemory: string
  p50Ms: number
  p99Ms: number
}

/**
 * Measures and saves the figures.
 * @throws if no server is named
 */
export async function benchTenants(args: readonly string[]): Promise<void> {
  const serverUrl = namedServer('postgres')
  const [organizations = 2_000, chunksEach = 1_000, memoryMb = 512] = args.map(Number)
  const measured = await inNewDatabase(serverUrl, async (place) => {
    const keys = await makeTenants(place, { organizations, chunksEach })
    return await measure(place, { keys, memoryMb })
  })
  const result = { organizations, chunksEach, memoryMb, ...measured }
  process.stdout.write(`${table(result)}\n`)
  await keepResults('tenants', [result], table(result))
}

/**
 * Fills one organization as the service does and copies its rows to the others.
 * @returns a key of each
 */
async function makeTenants(
  place: Place,
  { organizations, chunksEach }: { organizations: number; chunksEach: number },
): Promise<string[]> {
  await (await startServer(environmentOf(place))).stop()
  await fill(place, 0, Math.ceil(chunksEach / CHUNKS_A_DOCUMENT))
  const { db, close } = await openDatabase({ ...place, logger: { error: () => {}, warn: () => {} } })
  try {
    const found = await db.selectFrom('organizations').select(['id', 'embedding_model_id']).execute()
    const [template] = Organization.parse(found)
    const keys: string[] = []
    for (let number = 0; number < organizations; number++) keys.push(await copyOf(db, template))
    return keys
  } finally {
    await close()
  }
}

export async function copyOf(db: Db, template: z.output<typeof Organization>[0]): Promise<string> {
  const at = systemClock.now()
  const secret = newApiKeySecret()
  return await db.transaction().execute(async (tx) => {
    const organizationId = await insertOrganization(tx, {
      name: 'Bench',
      status: 'internal',
      at,
    })
    const sourceId = await insertPushOnlySource(tx, {
      organizationId,
      provider: 'notion',
      displayName: 'Bench',
      at,
    })
    await insertApiKey(tx, {
      organizationId,
      secret,
      at,
      actor: null,
      key: { name: 'Bench', actorType: 'agent', allowedActions: ['search'], allowedProviders: null },
    })
    await tx
      .updateTable('organizations')
      .set({ embedding_model_id: template.embedding_model_id })
      .where('id', '=', organizationId)
      .execute()
    await copyRows(tx, { from: template.id, to: organizationId, sourceId })
    return secret.secret
  })
}

/** With the same ids, and marked as read by the canvas, so that only searches are measured. */
async function copyRows(tx: Tx, { from, to, sourceId }: Copied): Promise<void> {
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata, content_sha256,
      synced_at, created_at, updated_at, canvas_sha256)
    select ${to}, id, 'notion', external_id, ${sourceId}, source_kind, title, body, metadata, content_sha256,
      synced_at, created_at, updated_at, content_sha256
    from source_items where organization_id = ${from}`.execute(tx)
  await sql`
    insert into chunks (organization_id, source_item_id, position, heading, content)
    select ${to}, source_item_id, position, heading, content from chunks where organization_id = ${from}`.execute(
    tx,
  )
  await sql`
    insert into chunk_embeddings (organization_id, embedding_model_id, source_item_id, position, provider, embedding)
    select ${to}, embedding_model_id, source_item_id, position, 'notion', embedding
    from chunk_embeddings where organization_id = ${from}`.execute(tx)
}

async function measure(
  place: Place,
  { keys, memoryMb }: { keys: readonly string[]; memoryMb: number },
): Promise<Omit<Result, 'organizations' | 'chunksEach' | 'memoryMb'>> {
  const server = await startServer({ ...environmentOf(place), SEARCH_MEMORY_MB: String(memoryMb) })
  try {
    const random = createRandom(1)
    const taken: number[] = []
    for (let number = 0; number < SEARCHES; number++) {
      const key = keys[Math.floor(random() * keys.length)]
      const started = performance.now()
      await call(server.url, 'POST', '/v1/search', { query: benchQuery(number) }, key)
      taken.push(performance.now() - started)
    }
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const metric = (name: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1] ?? 0,
      )
    const sorted = taken.toSorted((left, right) => left - right)
    return {
      heldMb: metric('search_memory_bytes') / 2 ** 20,
      heldOrganizations: metric('search_memory_organizations'),
      residentMb: await server.residentMb(),
      fromMemory: `${metric('searches_total{path="memory"}')} of ${SEARCHES}`,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    }
  } finally {
    await server.stop()
  }
}

function table(result: Result): string {
  const {
    organizations,
    chunksEach,
    memoryMb,
    heldMb,
    heldOrganizations,
    residentMb,
    fromMemory,
    p50Ms,
    p99Ms,
  } = result
  return [
    '| organizations | chunks each | SEARCH_MEMORY_MB | held MB | of organizations | from memory | p50 ms | p99 ms | resident MB |',
    '|---|---|---|---|---|---|---|---|---|',
    `| ${[organizations, chunksEach, memoryMb, heldMb.toFixed(0), heldOrganizations, fromMemory, p50Ms.toFixed(1), p99Ms.toFixed(1), residentMb.toFixed(0)].join(' | ')} |`,
  ].join('\n')
}
