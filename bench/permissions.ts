import { z } from 'zod'
import { openDatabase } from '../src/database/open-database.ts'
import type { NewItem } from '../src/items/index.ts'
import { benchDocument, benchQuery } from './corpus.ts'
import { CHUNKS_A_DOCUMENT, environmentOf, fill, onEachDatabase, type Place } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { percentile } from './search.ts'
import { call, startServer, untilInMemory } from './server.ts'

/*
 * npm run bench -- permissions [embedded|postgres] [chunks]: compares a search on behalf of a user with the
 * same search of everything, alternating in one run. Each user is a member and in one of 500 groups; there
 * are 20,000 distinct policies. Most name two users and two groups.
 */

const PEOPLE = 5_000
const GROUPS = 500
const POLICIES = 20_000
const CHUNKS = 100_000
const INSERTED_AT_ONCE = 500
const WARMING = 200
const SEARCHES = 400
/** One item in this many is public. */
const PUBLIC = 5

const WHO = {
  everything: () => ({}),
  'the same person': () => ({ onBehalfOf: { email: emailOf(1) } }),
  'one of 150 people in turns': (number: number) => ({ onBehalfOf: { email: emailOf(number % 150) } }),
  'a person for the first time': (number: number) => ({ onBehalfOf: { email: emailOf(1_000 + number) } }),
} as const

interface Result {
  database: string
  chunks: number
  who: string
  p50Ms: number
  p99Ms: number
  /** Difference of the p50 to a search of everything. */
  moreMs: number
}

/** Measures and saves the figures. */
export async function benchPermissions([wanted, chunks = String(CHUNKS)]: readonly string[]): Promise<void> {
  const results = await onEachDatabase(wanted, (database, place) => measure(database, place, Number(chunks)))
  process.stdout.write(`${table(results)}\n`)
  await keepResults('permissions', results, table(results))
}

async function measure(database: string, place: Place, chunks: number): Promise<Result[]> {
  await (await startServer(environmentOf(place))).stop()
  await addPeople(place)
  await fill(place, 0, Math.ceil(chunks / CHUNKS_A_DOCUMENT), documentOf)
  const server = await startServer(environmentOf(place))
  try {
    await addGroups(server.url)
    const search = (number: number, who: object): Promise<unknown> =>
      call(server.url, 'POST', '/v1/search', { query: benchQuery(number), ...who })
    await untilInMemory(server.url, () => search(0, {}))
    const latencies = new Map<string, number[]>(Object.keys(WHO).map((who) => [who, []]))
    for (let number = 0; number < WARMING + SEARCHES; number++) {
      for (const [who, bodyOf] of Object.entries(WHO)) {
        const started = performance.now()
        await search(number, bodyOf(number))
        if (number >= WARMING) latencies.get(who)?.push(performance.now() - started)
      }
    }
    const p50Of = (who: string): number => percentile(sortedOf(latencies, who), 0.5)
    return Object.keys(WHO).map((who) => ({
      database,
      chunks,
      who,
      p50Ms: p50Of(who),
      p99Ms: percentile(sortedOf(latencies, who), 0.99),
      moreMs: p50Of(who) - p50Of('everything'),
    }))
  } finally {
    await server.stop()
  }
}

function sortedOf(latencies: ReadonlyMap<string, readonly number[]>, who: string): number[] {
  return (latencies.get(who) ?? []).toSorted((a, b) => a - b)
}

function emailOf(person: number): string {
  return `person${person % PEOPLE}@example.com`
}

const Organization = z.tuple([z.object({ id: z.string() })])

async function addPeople(place: Place): Promise<void> {
  const { db, close } = await openDatabase({ ...place, logger: { error: () => {}, warn: () => {} } })
  try {
    const [{ id }] = Organization.parse(await db.selectFrom('organizations').select('id').execute())
    const at = new Date()
    const ids = Array.from({ length: PEOPLE }, () => crypto.randomUUID())
    const users = ids.map((userId, person) => ({
      id: userId,
      issuer: 'https://issuer.example.com',
      subject: userId,
      email: emailOf(person),
      name: null,
      email_verified: true,
      created_at: at,
    }))
    for (let from = 0; from < PEOPLE; from += INSERTED_AT_ONCE) {
      await db
        .insertInto('users')
        .values(users.slice(from, from + INSERTED_AT_ONCE))
        .execute()
      const memberships = ids.slice(from, from + INSERTED_AT_ONCE).map((userId) => ({
        organization_id: id,
        user_id: userId,
        role: 'member' as const,
        created_at: at,
      }))
      await db.insertInto('memberships').values(memberships).execute()
    }
  } finally {
    await close()
  }
}

async function addGroups(url: string): Promise<void> {
  for (let group = 0; group < GROUPS; group++) {
    const members = Array.from({ length: PEOPLE / GROUPS }, (_, n) => emailOf(group + n * GROUPS))
    await call(url, 'PUT', `/v1/groups/${groupOf(group)}`, { members })
  }
}

function groupOf(number: number): string {
  return `team-${number % GROUPS}`
}

/** A thread in a channel with named readers, or a public one. */
function documentOf(number: number, sourceOf: (provider: string) => string): NewItem {
  const policy = number % POLICIES
  const restricted = {
    visibility: 'restricted',
    users: [emailOf(policy), emailOf(policy * 7 + 1)],
    groups: [groupOf(policy), groupOf(policy * 3 + 1)],
  }
  return {
    sourceId: sourceOf('slack'),
    provider: 'slack',
    sourceKind: 'document',
    externalId: `bench-${number}`,
    ...benchDocument(number),
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: { accessPolicy: number % PUBLIC === 0 ? { visibility: 'public' } : restricted },
  }
}

function table(results: readonly Result[]): string {
  const rows = results.map(({ database, chunks, who, p50Ms, p99Ms, moreMs }) =>
    [database, chunks, who, p50Ms.toFixed(2), p99Ms.toFixed(2), moreMs.toFixed(2)].join(' | '),
  )
  return [
    '| database | chunks | on behalf of | search p50 ms | p99 ms | p50 more than everything ms |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
