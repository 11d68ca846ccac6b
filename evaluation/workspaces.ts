import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Answer,
  createAnswers,
  createReadAround,
  type Material,
  type Question,
} from '../src/answers/index.ts'
import type { Db } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { openEmbedded } from '../src/database/drivers/embedded.ts'
import { createModelRegistry } from '../src/models/index.ts'
import type { EmbeddingModel } from '../src/inference/embedding-model.ts'
import { findBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { createItems, type Items } from '../src/items/index.ts'
import { ACTIONS } from '../src/kernel/actions.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { Readable, type Viewer } from '../src/kernel/viewer.ts'
import { insertOrganization } from '../src/organizations/index.ts'
import { evidenceOf } from '../src/evidence/index.ts'
import { createRetrieval, type Hit, type SearchFor } from '../src/retrieval/index.ts'
import { insertPushOnlySource } from '../src/sources/index.ts'
import type { CollectionDocument } from './read-collection.ts'

/** The service's own ingest, retrieval and answers over one database. */
export interface Workspaces {
  /** Ingests documents into a new workspace. */
  ingest(name: string, documents: readonly CollectionDocument[]): Promise<Workspace>
}

/** The orders of search results. */
export type Order = NonNullable<SearchFor['rank']>

export interface Workspace {
  /** A search's chunks in an order, best first; `reading` is the order in which an answer reads. */
  search(query: string, limit: number, rank: Order): Promise<Hit[]>
  /** The evidence of the nearest chunk, to compare with a model's threshold. */
  evidence(query: string): Promise<number>
  /** The hits for an answer, with the surroundings of each. */
  read(query: string, limit: number): Promise<Material>
  /** The answer without a language model. */
  ask(query: string, limit: number): Promise<Answer>
}

const DOCUMENTS_A_WRITE = 100
const ANSWER_TIMEOUT_MS = 20_000
/** The metadata key of a hit's document. */
const DOCUMENT_ID = 'documentId'

/** The collection's document that contains the hit. */
export function documentOf(hit: Hit): string {
  return String(hit.metadata[DOCUMENT_ID])
}

/**
 * Connects the slices as the service does, without HTTP: there, a search has at most 25 hits, but several
 * chunks of a document count once here, so more are needed.
 */
export async function createWorkspaces(db: Db, embeddingModel: EmbeddingModel): Promise<Workspaces> {
  const models = createModelRegistry({ configured: embeddingModel, builtin: findBuiltinModel })
  const items = createItems({ db, clock: systemClock, models })
  const terms = await loadTermWeights()
  const { search } = createRetrieval({ db, clock: systemClock, models, terms })
  const readAround = createReadAround(db)
  const answers = createAnswers<Question>({
    retrieve: ({ viewer, query, limit }, signal) => search(viewer, { query, limit, rank: 'reading' }, signal),
    readAround: ({ viewer }, hits) => readAround(viewer, hits),
    languageModel: null,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    terms,
    onModelFailure: (error) => {
      throw error
    },
  })
  return {
    async ingest(name, documents) {
      const { caller, sourceId } = await makeWorkspace(db, name)
      await writeDocuments(items, caller, sourceId, documents)
      const chunks = await countChunks(db, caller.organizationId)
      return {
        search: async (query, limit, rank) => (await search(caller, { query, limit, rank })).hits,
        evidence: async (query) => {
          const { hits } = await search(caller, { query, limit: 1 })
          return evidenceOf(hits[0]?.score ?? 0, chunks)
        },
        read: async (question, limit) => {
          const { hits, isWeak } = await search(caller, { query: question, limit, rank: 'reading' })
          return { question, hits, isWeak, around: await readAround(caller, hits) }
        },
        ask: (query, limit) => answers.ask({ viewer: caller, query, limit, requestId: randomUUID() }),
      }
    },
  }
}

/** Runs `work` on a temporary embedded database. */
export async function onThrowawayDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-evaluation-'))
  try {
    const database = await openEmbedded({ dataDir })
    try {
      await migrate(database.db)
      return await work(database.db)
    } finally {
      await database.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makeWorkspace(db: Db, name: string): Promise<{ caller: Viewer; sourceId: string }> {
  const at = systemClock.now()
  return await db.transaction().execute(async (tx) => {
    const organizationId = await insertOrganization(tx, { name, status: 'internal', at })
    const sourceId = await insertPushOnlySource(tx, {
      organizationId,
      provider: 'notion',
      displayName: name,
      at,
    })
    const caller: Viewer = {
      kind: 'agent',
      organizationId,
      apiKeyId: randomUUID(),
      actorType: 'agent',
      allowedActions: ACTIONS,
      allowedProviders: null,
      readable: Readable.everything,
    }
    return { caller, sourceId }
  })
}

async function countChunks(db: Db, organizationId: string): Promise<number> {
  const counted = await db
    .selectFrom('chunks')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('chunks'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return counted.chunks
}

async function writeDocuments(
  items: Items,
  caller: Viewer,
  sourceId: string,
  documents: readonly CollectionDocument[],
): Promise<void> {
  for (let from = 0; from < documents.length; from += DOCUMENTS_A_WRITE) {
    const batch = documents.slice(from, from + DOCUMENTS_A_WRITE).map(({ id, title, text }) => ({
      sourceId,
      provider: 'notion' as const,
      sourceKind: 'document' as const,
      externalId: id,
      title,
      body: text,
      url: null,
      authorName: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
      metadata: { [DOCUMENT_ID]: id },
    }))
    await items.write(caller.organizationId, batch)
  }
}
