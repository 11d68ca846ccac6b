import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Db } from '../src/database/database.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { createModelRegistry } from '../src/models/index.ts'
import { findBuiltinModel, loadBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'
import { createItems, type NewItem } from '../src/items/index.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { cloneTemplate, dropDatabase } from '../test/support/database.ts'
import { makeTemplate } from '../test/support/database-setup.ts'
import { benchDocument } from './corpus.ts'

/** Of 400 words each. */
export const CHUNKS_A_DOCUMENT = 3
const ITEMS_A_WRITE = 100
/** One item in this many has another provider and a mark. */
const RARE = 100

/** Where the measured service stores its data. */
export interface Place {
  dataDir: string
  databaseUrl: string | undefined
}

/** The service's environment for a place. */
export function environmentOf({ dataDir, databaseUrl }: Place): Record<string, string> {
  return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' }
}

/**
 * The PostgreSQL server to measure on, if any.
 * @param wanted the requested database, if any
 * @throws Error if PostgreSQL is requested and no server is named
 */
export function namedServer(wanted: 'postgres'): string
export function namedServer(wanted: string | undefined): string | undefined
export function namedServer(wanted: string | undefined): string | undefined {
  const url = process.env.TEST_DATABASE_URL
  if (wanted === 'postgres' && !url) throw new Error('Name a PostgreSQL server by TEST_DATABASE_URL')
  return url
}

/** Runs with an embedded database in a temporary folder. */
export async function inNewFolder<Result>(act: (place: Place) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  try {
    return await act({ dataDir, databaseUrl: undefined })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * Runs with a temporary database on a server, or on a distributed one with the workers of `TEST_WORKER_URLS`. Connects only
 * to create and drop it: the server may restart meanwhile.
 */
export async function inNewDatabase<Result>(
  serverUrl: string,
  act: (place: Place & { databaseUrl: string }) => Promise<Result>,
): Promise<Result> {
  const name = `bench_${process.pid}`
  await makeTemplate(serverUrl)
  await cloneTemplate(serverUrl, name)
  try {
    const url = new URL(serverUrl)
    url.pathname = name
    return await inNewFolder(({ dataDir }) => act({ dataDir, databaseUrl: url.href }))
  } finally {
    await dropDatabase(serverUrl, name)
  }
}

/**
 * Measures the wanted database, each in a new place; without a name the embedded one, and PostgreSQL if a server is
 * named.
 */
export async function onEachDatabase<Result>(
  wanted: string | undefined,
  measure: (database: string, place: Place) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  const serverUrl = namedServer(wanted)
  if (wanted !== 'postgres') results.push(...(await inNewFolder((place) => measure('embedded', place))))
  if (wanted !== 'embedded' && serverUrl)
    results.push(...(await inNewDatabase(serverUrl, (place) => measure('postgres', place))))
  return results
}

const Organization = z.tuple([z.object({ id: z.string() })])
const SourceRows = z.array(z.object({ id: z.string(), provider: z.string() }))

/** The document of a number, in its provider's source. */
export type ItemOf = (number: number, sourceOf: (provider: string) => string) => NewItem

/**
 * Stores documents up to a number, as the service does.
 * @returns the number of chunks
 */
export async function fill(
  { dataDir, databaseUrl }: Place,
  from: number,
  to: number,
  itemOf: ItemOf = documentOf,
): Promise<number> {
  const { db, close } = await openDatabase({
    dataDir,
    databaseUrl,
    logger: { error: () => {}, warn: () => {} },
  })
  try {
    const models = createModelRegistry({ configured: await loadBuiltinModel(), builtin: findBuiltinModel })
    const items = createItems({ db, models, clock: systemClock })
    const [{ id }] = Organization.parse(await db.selectFrom('organizations').select('id').execute())
    const sources = SourceRows.parse(await db.selectFrom('sources').select(['id', 'provider']).execute())
    const sourceOf = (provider: string): string =>
      sources.find((source) => source.provider === provider)?.id ?? ''
    for (let first = from; first < to; first += ITEMS_A_WRITE) {
      const batch = Array.from({ length: Math.min(ITEMS_A_WRITE, to - first) }, (_, index) =>
        itemOf(first + index, sourceOf),
      )
      await items.write(id, batch)
    }
    return await countChunks(db)
  } finally {
    await close()
  }
}

function documentOf(number: number, sourceOf: (provider: string) => string): NewItem {
  const provider = number % RARE === 1 ? 'slack' : 'notion'
  return {
    sourceId: sourceOf(provider),
    provider,
    sourceKind: 'document',
    externalId: `bench-${number}`,
    ...benchDocument(number),
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: { group: number % RARE },
  }
}

async function countChunks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('chunks')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
