import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import {
  embedAll,
  embeddingInput,
  ensureStoredModel,
  type ModelRegistry,
  type ModelState,
  readModelState,
} from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { type Chunk, chunkingDocument } from './chunk-text.ts'
import { runCooperatively, type Pausable, SHORT_BURST_MS } from '../kernel/cooperative.ts'
import { validationError } from '../kernel/errors.ts'
import { type CleanItem, cleanItem, itemKey, type NewItem, type PushedItem } from './item.ts'
import { findPolicies, type StoredBy } from './item-policies.ts'
import { placingVectors } from './place-vectors.ts'
import { NOBODY_ID } from '../permissions/index.ts'
import { inParts } from '../kernel/in-parts.ts'

/** A chunk with one vector for each model of the preparation, in their order. */
export interface EmbeddedChunk extends Chunk {
  vectors: Float32Array[]
}

/** An item to store with its chunks: new, changed, or stored again by a full resync. */
export interface EmbeddedItem extends CleanItem {
  chunks: EmbeddedChunk[]
  /** When the stored item last changed, if its content is the same; otherwise null. */
  unchangedSince: Date | null
}

/** Items ready to be written. Each list is ordered by key and has no duplicates. */
export interface PreparedItems {
  organizationId: string
  /** The models of the vectors, by stored id; the first answers queries. StalePreparation if it has changed. */
  modelIds: readonly number[]
  /** The model that the organization moves to, if any. Storing fails with StalePreparation if it has changed. */
  targetModelId: number | null
  /** Items stored with the same content already, so they were not embedded. */
  unchanged: readonly CleanItem[]
  /** `changed` also contains items with the same content, whose chunks and vectors are replaced. */
  isAnew: boolean
  check: CheckStored | undefined
  changed: readonly EmbeddedItem[]
  policies: ReadonlyMap<string, number>
  /** The stored versions of these items when they were compared, by key. */
  stored: ReadonlyMap<string, StoredItem>
}

/** Compares an item with its stored version, which is locked. Throws to store nothing. */
export type CheckStored = (item: CleanItem, stored: StoredItem | undefined) => void

interface Embedder {
  id: number
  model: EmbeddingModel
}

/** Items per lookup, which blocks the embedded database. */
const ITEMS_A_LOOKUP = 250
/** Chunks per call of a model: enough for a remote one to fill several parallel batches. */
const CHUNKS_A_BATCH = 384

/**
 * Chunks and embeds the items that differ from the stored ones. Runs outside of any transaction because it is
 * slow. Of two items with the same key, the last one counts.
 * @param given.anewSince also embeds items with the same content, unless they were confirmed after this time
 * @throws AppError `embedding_model_mismatch`, `upstream_error`, `validation_failed` for given vectors that do not fit,
 * and the reason of `signal`
 */
export async function prepareItems(
  db: Db,
  models: ModelRegistry,
  {
    organizationId,
    items,
    by,
    anewSince,
    check,
  }: {
    organizationId: string
    items: readonly PushedItem[]
    by: StoredBy
    anewSince?: Date | undefined
    check?: CheckStored | undefined
  },
  signal?: AbortSignal,
): Promise<PreparedItems> {
  const state = await readModelState(db, organizationId)
  const embedders = await embeddersOf(db, models, state)
  const distinct = [...new Map(items.map((item) => [itemKey(item), item])).values()]
  const ordered = inKeyOrder(distinct)
  const policies = await findPolicies(db, organizationId, ordered, by, signal)
  const stored = await findStored(db, organizationId, ordered)
  const isUnchanged = (item: CleanItem): boolean => {
    const before = stored.get(itemKey(item))
    return before?.hash === item.hash && (anewSince === undefined || before.syncedAt > anewSince)
  }
  const differing = ordered.filter((item) => !isUnchanged(item))
  const changed = await runCooperatively(cutting(differing, stored), signal, SHORT_BURST_MS)
  const chunksOf = new Map(changed.map((item) => [itemKey(item), item.chunks]))
  const given = placingVectors(items, chunksOf, embedders)
  const faults = await runCooperatively(given, signal, SHORT_BURST_MS)
  if (faults.length > 0) throw validationError(faults)
  await embedChunks(changed, embedders, signal)
  return {
    organizationId,
    modelIds: embedders.map(({ id }) => id),
    targetModelId: state.target?.id ?? null,
    unchanged: ordered.filter(isUnchanged),
    isAnew: anewSince !== undefined,
    check,
    changed,
    policies,
    stored,
  }
}

export function itemsOf({ unchanged, changed }: PreparedItems): CleanItem[] {
  return [...unchanged, ...changed]
}

export function isEmbedded(item: CleanItem): item is EmbeddedItem {
  return 'chunks' in item
}

export function policyOf({ policies }: Pick<PreparedItems, 'policies'>, item: CleanItem): number {
  return policies.get(itemKey(item)) ?? NOBODY_ID
}

export function isStoredAs(stored: PreparedItems['stored'], item: CleanItem): boolean {
  return stored.get(itemKey(item))?.hash === item.hash
}

export function isMoved(stored: PreparedItems['stored'], item: CleanItem): boolean {
  const before = stored.get(itemKey(item))
  return before !== undefined && before.sourceId !== item.sourceId
}

/** Compares prepared items with the stored ones again; the caller holds the items. @throws StalePreparation, what the check throws */
export async function compareAgain(db: Db, prepared: PreparedItems): Promise<PreparedItems> {
  const stored = await findStored(db, prepared.organizationId, itemsOf(prepared))
  checkStored(prepared, stored)
  if (!prepared.unchanged.every((item) => isStoredAs(stored, item))) throw new StalePreparation()
  return { ...prepared, stored }
}

/** The prepared items no longer fit the stored ones: roll the transaction back and prepare again. */
export class StalePreparation extends Error {
  constructor() {
    super('the stored items or models changed while these were prepared')
    this.name = 'StalePreparation'
  }
}

/** @throws what the check throws */
export function checkStored(prepared: PreparedItems, stored: PreparedItems['stored']): void {
  for (const item of itemsOf(prepared)) prepared.check?.(item, stored.get(itemKey(item)))
}

/** All writers lock items in this order, which prevents deadlocks. */
export function inKeyOrder<Item extends CleanItem>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ key: itemKey(item), item }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item)
}

function* cutting(
  items: readonly PushedItem[],
  stored: ReadonlyMap<string, StoredItem>,
): Pausable<EmbeddedItem[]> {
  const cut: EmbeddedItem[] = []
  for (const { embedding: _, ...item } of items) {
    yield
    const chunks = yield* chunkingDocument(item.title, item.body)
    const before = stored.get(itemKey(item))
    const unchangedSince = before?.hash === item.hash ? before.updatedAt : null
    cut.push({
      ...item,
      chunks: chunks.map((chunk) => Object.assign(chunk, { vectors: [] })),
      unchangedSince,
    })
  }
  return cut
}

/** Prepares items for storing. Yields to the event loop, because metadata and bodies may be large. */
export async function cleanItems(items: readonly NewItem[], signal?: AbortSignal): Promise<CleanItem[]> {
  return await runCooperatively(cleaning(items), signal, SHORT_BURST_MS)
}

function* cleaning(items: readonly NewItem[]): Pausable<CleanItem[]> {
  const clean: CleanItem[] = []
  for (const item of items) {
    yield
    clean.push(cleanItem(item))
  }
  return clean
}

async function embeddersOf(db: Db, models: ModelRegistry, state: ModelState): Promise<Embedder[]> {
  const active = state.active === null ? models.configured : await models.get(state.active.name)
  const embedders = [{ id: (await ensureStoredModel(db, active)).id, model: active }]
  if (state.target === null || state.target.name === active.id) return embedders
  // If this process lacks the target model, the process that runs the move adds its vectors.
  const target = await models.find(state.target.name)
  if (target) embedders.push({ id: (await ensureStoredModel(db, target)).id, model: target })
  return embedders
}

/** Embeds a few plain words with the organization's models. @throws AppError, the signal's reason */
export async function embedPlainWords(
  db: Db,
  models: ModelRegistry,
  organizationId: string,
  signal?: AbortSignal,
): Promise<void> {
  const state = await readModelState(db, organizationId)
  const words = embeddingInput('Words', { content: 'A few plain words.', heading: null })
  for (const { model } of await embeddersOf(db, models, state)) await embedAll(model, [words], signal)
}

async function embedChunks(
  items: readonly EmbeddedItem[],
  embedders: readonly Embedder[],
  signal?: AbortSignal,
): Promise<void> {
  const all = items.flatMap(({ title, chunks }) => chunks.map((chunk) => ({ title, chunk })))
  for (const [at, { model }] of embedders.entries()) {
    const pending = all.filter(({ chunk }) => chunk.vectors[at] === undefined)
    for (const batch of inParts(pending, CHUNKS_A_BATCH)) {
      await setImmediate()
      const inputs = batch.map(({ title, chunk }) => embeddingInput(title, chunk))
      const vectors = await embedAll(model, inputs, signal)
      for (const [index, { chunk }] of batch.entries()) {
        const vector = vectors[index]
        if (vector) chunk.vectors[at] = vector
      }
    }
  }
}

/** The fields of a stored item that a new one is compared with. */
const StoredItem = z.object({
  id: z.string(),
  provider: z.string(),
  externalId: z.string(),
  sourceId: z.string(),
  hash: z.string(),
  syncedAt: z.date(),
  updatedAt: z.date(),
  policyId: z.number().nullable(),
})
type StoredItem = z.output<typeof StoredItem>
const StoredItems = z.array(StoredItem)

/** The stored versions of `items`, by key, looked up a few at a time. */
async function findStored(
  db: Db,
  organizationId: string,
  items: readonly CleanItem[],
): Promise<Map<string, StoredItem>> {
  const found = new Map<string, StoredItem>()
  for (const some of inParts(items, ITEMS_A_LOOKUP))
    for (const [key, item] of await findStoredItems(db, organizationId, some)) found.set(key, item)
  return found
}

const storedAmong = (suffix: string) => `
  select i.id, i.provider, i.external_id as "externalId", i.source_id as "sourceId", encode(i.content_sha256, 'hex') as hash,
    i.synced_at as "syncedAt", i.updated_at as "updatedAt", i.policy_id as "policyId"
  from json_to_recordset($2::json) as k(n int, provider text, "externalId" text)
  join source_items i on i.organization_id = $1 and i.provider = k.provider and i.external_id = k."externalId"
  order by k.n ${suffix}`
const findThem = prepare(storedAmong(''))
const lockThem = prepare(storedAmong('for no key update of i'))

/** The stored versions of `items`, by key. With `lock`, locked in the order of `items` until the transaction ends. */
export async function findStoredItems(
  db: Db | Tx,
  organizationId: string,
  items: readonly CleanItem[],
  lock = false,
): Promise<Map<string, StoredItem>> {
  const keys = JSON.stringify(items.map(({ provider, externalId }, n) => ({ n, provider, externalId })))
  const { rows } = await (lock ? lockThem : findThem)(db, [organizationId, keys])
  return new Map(StoredItems.parse(rows).map((row) => [itemKey(row), row]))
}
