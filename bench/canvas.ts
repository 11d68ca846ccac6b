import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { openPostgres } from '../src/database/drivers/postgres.ts'
import { openDatabase, migrateDatabase } from '../src/database/open-database.ts'
import type { Db } from '../src/database/database.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createMemoryCanvas } from '../src/memory-canvas/index.ts'
import { besideRequests } from './canvas-beside-requests.ts'
import { keepResults } from './keep-results.ts'

/*
 * npm run bench -- canvas [embedded|postgres]: queries of the memory canvas at 100,000 items and 50,000 entities, and what the worker
 * that reads for it does to searches and ingests beside it.
 */

const ITEMS = 100_000
const ENTITIES = 50_000
const MENTIONS_AN_ITEM = 6
const RUNS = 21

/** Measures one or both databases and keeps the figures. */
export async function benchCanvas(wanted: string | undefined): Promise<void> {
  const results: Record<string, number | string>[] = []
  if (wanted !== 'postgres') results.push(await onEmbedded())
  const server = process.env.TEST_DATABASE_URL
  if (wanted !== 'embedded' && server) results.push(await onPostgres(server))
  const names = Object.keys(results[0] ?? {})
  const text = [
    `| | ${results.map(({ database }) => database).join(' | ')} |`,
    `|---|${results.map(() => '---|').join('')}`,
    ...names.slice(1).map((name) => `| ${name} | ${results.map((one) => one[name]).join(' | ')} |`),
  ].join('\n')
  process.stdout.write(`${text}\n`)
  await keepResults('canvas', results, text)
}

async function onEmbedded(): Promise<Record<string, number | string>> {
  return await inFolder(async (queries) =>
    inFolder(async (folder) => ({
      database: 'embedded',
      ...(await measureQueries(queries, undefined)),
      ...(await besideRequests({ dataDir: join(folder, 'a'), databaseUrl: undefined }, async () => {
        await cp(join(folder, 'a'), join(folder, 'b'), { recursive: true })
        return { dataDir: join(folder, 'b'), databaseUrl: undefined }
      })),
    })),
  )
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onPostgres(serverUrl: string): Promise<Record<string, number | string>> {
  const admin = new Client({ connectionString: serverUrl })
  await admin.connect()
  const names = ['a', 'b', 'c'].map((letter) => `bench_canvas_${process.pid}_${letter}`)
  try {
    const [first = '', second = '', third = ''] = names.map((name) => {
      const url = new URL(serverUrl)
      url.pathname = name
      return url.href
    })
    for (const name of names.slice(0, 2)) await admin.query(`create database ${name}`)
    return await inFolder(async (folder) => ({
      database: 'postgres',
      ...(await measureQueries(folder, first)),
      ...(await besideRequests({ dataDir: join(folder, 'a'), databaseUrl: second }, async () => {
        await admin.query(`create database ${names[2]} template ${names[1]}`)
        return { dataDir: join(folder, 'b'), databaseUrl: third }
      })),
    }))
  } finally {
    for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
}

/** Median milliseconds of each kind of query. */
async function measureQueries(
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Record<string, string>> {
  // Without the limits of time that requests have: filling the tables takes minutes.
  const database =
    databaseUrl === undefined
      ? await openDatabase({ dataDir, databaseUrl, logger: { error: () => {}, warn: () => {} } })
      : await openPostgres({ url: databaseUrl, isPatient: true })
  try {
    await migrateDatabase(database, databaseUrl)
    const organizationId = randomUUID()
    await fill(database.db, organizationId)
    const canvas = createMemoryCanvas({ db: database.db, clock: systemClock, findItems: async () => [] })
    const caller = {
      kind: 'console',
      organizationId,
      userId: randomUUID(),
      role: 'owner',
      allowedProviders: null,
    } as const
    const signal = new AbortController().signal
    const { nodes } = await canvas.draw(caller, { limit: 100 }, signal)
    const around = nodes.find(({ type }) => type === 'topic')?.id
    const queries = {
      'top 100, p50 ms': { limit: 100 },
      'top 500': { limit: 500 },
      'one provider': { limit: 100, provider: 'slack' },
      'one kind': { limit: 100, entityType: 'topic' },
      'by name': { limit: 100, q: 'name 12' },
      'around the heaviest': { limit: 100, ...(around === undefined ? {} : { around }) },
      'since, all items': { limit: 100, since: new Date(0) },
    } as const
    const figures: Record<string, string> = {}
    for (const [name, query] of Object.entries(queries)) {
      figures[name] = await median(() => canvas.draw(caller, query, signal))
    }
    if (around !== undefined) figures['one entity'] = await median(() => canvas.describe(caller, around))
    return figures
  } finally {
    await database.close()
  }
}

async function median(work: () => Promise<unknown>): Promise<string> {
  const taken: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now()
    await work()
    taken.push(performance.now() - started)
  }
  return (taken.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN).toFixed(1)
}

/** Items of four sources that name entities, a few of them in very many items and most in few. */
async function fill(db: Db, organizationId: string): Promise<void> {
  const at = new Date()
  await db.insertInto('organizations').values({ id: organizationId, name: 'Bench', created_at: at }).execute()
  for (const provider of ['slack', 'google_drive', 'notion', 'gmail'] as const) {
    const source = {
      organization_id: organizationId,
      id: randomUUID(),
      provider,
      push_only: true,
      status: 'active' as const,
    }
    const names = { display_name: provider, external_account_id: provider, created_at: at, updated_at: at }
    await db
      .insertInto('sources')
      .values({ ...source, ...names })
      .execute()
  }
  const org = sql`${organizationId}::uuid`
  const entity = (n: ReturnType<typeof sql>) => sql`md5('entity' || ${n})::uuid`
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata, content_sha256,
      canvas_sha256, synced_at, created_at, updated_at)
    select ${org}, md5('item' || n)::uuid, s.provider, 'item' || n, s.id, 'document', 'Title ' || n, 'Body ' || n, '{}', '\\x01', '\\x01', now(), now(), now()
    from generate_series(1, ${ITEMS}::int) n
    join (select id, provider, row_number() over (order by provider) - 1 as place from sources where organization_id = ${org}) s
      on s.place = n % 4`.execute(db)
  await sql`
    insert into entities (organization_id, id, type, key, alias, rank)
    select ${org}, ${entity(sql`n`)}, (array['person', 'organization', 'channel', 'topic', 'topic'])[n % 5 + 1], 'bench:' || n,
      (array['given' || n % 4000 || ' family' || n, 'name ' || n, 'name ' || n, 'topic' || n, 'name ' || n])[n % 5 + 1], 2
    from generate_series(1, ${ENTITIES}::int) n`.execute(db)
  await sql`
    insert into entities (organization_id, id, type, key, rank)
    select ${org}, id, 'source', 'source:' || id, 4 from sources where organization_id = ${org}`.execute(db)
  // A few entities are in very many items: the number falls with the cube of a number spread evenly.
  await sql`
    insert into item_entities (organization_id, source_item_id, entity_id, source_id, role, names, seen_at)
    select ${org}, i.id, e.id, i.source_id, (array['author', 'mention', 'mention', 'channel', 'mention', 'mention'])[k], array[e.alias],
      now() - interval '1 minute' * (hashtext(i.external_id) & 65535)
    from source_items i
    cross join generate_series(1, ${MENTIONS_AN_ITEM}::int) k
    join entities e on e.organization_id = ${org}
      and e.id = ${entity(sql`(1 + floor(power((hashtext(i.external_id || ':' || k) & 1048575) / 1048576.0, 3) * ${ENTITIES}::int))::int`)}
    where i.organization_id = ${org}
    on conflict do nothing`.execute(db)
  await sql`
    insert into item_entities (organization_id, source_item_id, entity_id, source_id, role, names, seen_at)
    select ${org}, id, source_id, source_id, 'source', '{}', now() from source_items where organization_id = ${org}`.execute(
    db,
  )
  await sql`
    insert into entity_totals (organization_id, source_id, entity_id, type, items, authored)
    select ${org}, m.source_id, m.entity_id, e.type, count(*), count(*) filter (where m.role = 'author')
    from item_entities m join entities e on e.organization_id = m.organization_id and e.id = m.entity_id
    where m.organization_id = ${org} group by 1, 2, 3, 4`.execute(db)
  await sql`
    insert into entity_names (organization_id, source_id, entity_id, name, alias, words, items)
    select ${org}, t.source_id, t.entity_id, e.alias, e.alias, e.alias, t.items
    from entity_totals t join entities e on e.organization_id = t.organization_id and e.id = t.entity_id
    where t.organization_id = ${org} and e.alias is not null`.execute(db)
  for (const table of ['source_items', 'entities', 'item_entities', 'entity_totals', 'entity_names'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}
