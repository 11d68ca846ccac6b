import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import type { StoredModel } from '../embeddings/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { conditionsOf, matchingItems, naming } from './filter-conditions.ts'
import { arraysOfKeys, type ChunkKey, type ShownChunk, ShownColumns } from './read-chunks.ts'
import type { SearchFilter } from './search-schema.ts'

export interface NearestQuery {
  organizationId: string
  /** The model that `vector` is of. */
  model: StoredModel
  vector: Float32Array
  limit: number
  /** Where in the vectors meaning is, if its share of the similarity is wanted. */
  meaning: MeaningPart | null
  /** null: every provider. */
  providers: readonly ProviderId[] | null
  filter: SearchFilter
  /** What items name the filter's entity by; null where it asks for none. */
  entityIds: readonly string[] | null
  /** The items' revision that the database had after the caller began to ask; null: it was not looked at. */
  seenRevision: number | null
}

/** How near a chunk is. */
export interface NearChunk {
  sourceItemId: string
  position: number
  /** Cosine similarity, above 0 and at most 1. */
  score: number
  /** What of the score comes from what words mean; null: not asked for. */
  meaning: number | null
}

/** A found chunk with its item. */
export type NearestChunk = NearChunk & ShownChunk

export type Nearest<Chunk = NearestChunk> =
  /** Best first; ties by item and position. */
  | {
      state: 'found'
      chunks: Chunk[]
      /** The score of the nearest. */
      best: number | undefined
      countCompared: () => Promise<number>
      /** Whether nearer ones may be missing. */
      isApproximate: boolean
    }
  /** Another model than the query's answers for the organization: the query has to be embedded by that one. */
  | { state: 'other_model'; model: StoredModel }
  /** The organization has stored nothing yet. */
  | { state: 'nothing_stored' }

/** What has changed after a revision, unless it is more chunks than these. */
export interface Since {
  revision: number
  chunksMax: number
}

const Count = z.tuple([z.object({ compared: z.number() })])

/** What every row says of the organization. */
const Standing = z.object({
  active_id: z.number().nullable(),
  active_name: z.string().nullable(),
  removed: z.array(z.string()),
  revision: z.number(),
  /** How many revisions tell what they changed, and how many chunks that is; null: that was not asked for, or is too much. */
  told: z.number().nullable(),
  changed: z.number().nullable(),
  /** The items of these chunks, in the first row. */
  changed_items: z.string().nullable(),
})

// The only row of a scan that met nothing.
const Nothing = Standing.extend({ id: z.null() })
const NearRow = Standing.extend({
  id: z.string(),
  position: z.number(),
  distance: z.number(),
  meaning: z.number().nullable(),
})
const NearRows = z.array(z.union([NearRow, Nothing]))
const NearestRows = z.array(z.union([NearRow.extend(ShownColumns), Nothing]))

/** What is read of the chunks that are nearest. */
interface Reading<Chunk> {
  columns: RawBuilder<unknown>
  /** The nearest chunks `n` with the tables of these columns. */
  joined: (organizationId: string) => RawBuilder<unknown>
  /** @throws ZodError */
  parse: (rows: unknown) => { standing: z.output<typeof Standing> | undefined; chunks: Chunk[] }
}

const HOW_NEAR: Reading<NearChunk> = {
  columns: sql`n.source_item_id as id`,
  joined: () => sql`nearest n`,
  parse(rows) {
    const parsed = NearRows.parse(rows)
    return { standing: parsed[0], chunks: parsed.flatMap((row) => (row.id === null ? [] : [toNear(row)])) }
  },
}

const ALL: Reading<NearestChunk> = {
  columns: sql`i.id, i.title, c.content, i.url, i.provider, i.metadata, i.synced_at`,
  joined: (organizationId) => sql`(
      nearest n
      cross join lateral (
        select i.id, i.title, i.url, i.provider, i.metadata, i.synced_at from source_items i
        where i.organization_id = ${organizationId} and i.id = n.source_item_id
        limit 1
      ) i
      cross join lateral (
        select c.content from chunks c
        where c.organization_id = ${organizationId} and c.source_item_id = n.source_item_id and c.position = n.position
        limit 1
      ) c
    )`,
  parse(rows) {
    const parsed = NearestRows.parse(rows)
    return { standing: parsed[0], chunks: parsed.flatMap((row) => (row.id === null ? [] : [toNearest(row)])) }
  },
}

function toNear(row: z.output<typeof NearRow>): NearChunk {
  const { id, position, distance, meaning } = row
  return { sourceItemId: id, position, score: Math.min(1, 1 - distance), meaning }
}

function toNearest(row: Exclude<z.output<typeof NearestRows>[number], { id: null }>): NearestChunk {
  const { title, content, url, provider, metadata, synced_at: syncedAt } = row
  return { ...toNear(row), title, content, url, provider, metadata, syncedAt }
}

/**
 * The chunks whose vectors are nearest to the query's, by an exact scan of the organization's vectors of one model, with
 * scope and filter inside it. One statement, so that the answering model and the vectors are of one snapshot.
 * A chunk at a right angle or beyond (score 0) is not among them.
 */
export async function findNearest(db: Db, query: NearestQuery): Promise<Nearest> {
  const from = sql`chunk_embeddings e`
  const { nearest, removedSourceIds } = await scan(db, query, { reading: ALL, from, where: sql`` })
  if (removedSourceIds.length === 0 || nearest.state !== 'found') return nearest
  const where = notRemoved(query.organizationId)
  return (await scan(db, query, { reading: ALL, from, where })).nearest
}

/** What a statement found, and of which state of the organization. */
export interface Decided<Chunk = NearestChunk> {
  nearest: Nearest<Chunk>
  /** Removed and not deleted yet: nothing of them was found. */
  removedSourceIds: string[]
  /** Of the organization's items. */
  revision: number
  /** Of the items that changed since the revision that was asked about those that have chunks, all looked at too; null: not all were. */
  changedItemIds: ReadonlySet<string> | null
  /** How similar the last of as many as were looked for is at most; 0 where there are fewer. */
  last: number
}

/**
 * The nearest of some chunks alone, by the same statement: those that are still there, and in scope.
 * @param since and of all chunks of the items that changed
 */
export async function decideNearest(
  db: Db,
  query: NearestQuery,
  candidates: readonly ChunkKey[],
  since: Since | null = null,
): Promise<Decided> {
  return await scan(db, query, { ...byKey(query, candidates, since), reading: ALL })
}

/** The same, but only how near they are: of many that costs half as much. */
export async function decideHowNear(
  db: Db,
  query: NearestQuery,
  candidates: readonly ChunkKey[],
  since: Since | null = null,
): Promise<Decided<NearChunk>> {
  return await scan(db, query, { ...byKey(query, candidates, since), reading: HOW_NEAR })
}

function byKey(query: NearestQuery, candidates: readonly ChunkKey[], since: Since | null) {
  const [ids, positions] = arraysOfKeys(candidates)
  const given = sql`select g.id, g.position from unnest(${ids}::text::uuid[], ${positions}::text::int[]) as g(id, position)`
  const keys = since === null ? given : sql`${given} union select c.id, c.position from changed c`
  // One by one by their key, whatever the planner believes of an organization's size: it may know no better than that it was empty.
  // The sum keeps it from looking for the model in another index.
  const ofItem = conditionsOf(query.filter)
  const item =
    ofItem.length === 0
      ? sql``
      : sql`cross join lateral (
        select f.id from source_items f
        where f.organization_id = ${query.organizationId} and f.id = k.id and ${sql.join(ofItem, sql` and `)}
        limit 1
      ) f`
  const from = sql`(${keys}) as k
      cross join lateral (
        select e.source_item_id, e.position, e.embedding, e.organization_id, e.embedding_model_id, e.provider
        from chunk_embeddings e
        where e.organization_id = ${query.organizationId} and e.source_item_id = k.id and e.position = k.position
          and e.embedding_model_id + 0 = ${query.model.id}
        limit 1
      ) e
      ${item}`
  return { from, where: notRemoved(query.organizationId), isByKey: true, since }
}

/** A JSON list has so many characters for each id. */
const CHARACTERS_AN_ID = 40

/**
 * What is noted of revisions, and the chunks of what they changed; none where more items have changed than chunks may have. One by
 * one by their items, so that no plan reads all chunks.
 */
function changedSince(
  { organizationId, model }: NearestQuery,
  { revision, chunksMax }: Since,
): RawBuilder<unknown> {
  return sql`noted as materialized (
      select count(h.item_ids) as told, coalesce(sum(octet_length(h.item_ids)), 0) <= ${chunksMax * CHARACTERS_AN_ID} as are_few
      from item_changes h where h.organization_id = ${organizationId} and h.revision > ${revision}
    ), changed as materialized (
      select i.id, e.position
      from (
        select distinct g.id::uuid as id from item_changes h
        cross join lateral json_array_elements_text(h.item_ids::json) as g(id)
        where h.organization_id = ${organizationId} and h.revision > ${revision} and (select are_few from noted)
      ) i
      cross join lateral (
        select e.position from chunk_embeddings e
        where e.organization_id = ${organizationId} and e.source_item_id = i.id and e.embedding_model_id + 0 = ${model.id}
        offset 0
      ) e
      limit ${chunksMax + 1}
    ),`
}

/** How many chunks a query is compared with. */
async function countCompared(db: Db, query: NearestQuery): Promise<number> {
  const { rows } = await sql`
    select count(*)::int as compared from chunk_embeddings e
    where e.organization_id = ${query.organizationId} and ${compared(query)} ${notRemoved(query.organizationId)}`.execute(
    db,
  )
  return Count.parse(rows)[0].compared
}

/** One scan, of what meets the condition; what else it tells of the organization is of the same snapshot. */
async function scan<Chunk extends NearChunk>(
  db: Db,
  query: NearestQuery,
  {
    reading,
    from,
    where,
    isByKey = false,
    since = null,
  }: {
    reading: Reading<Chunk>
    from: RawBuilder<unknown>
    where: RawBuilder<unknown>
    isByKey?: boolean
    since?: Since | null
  },
): Promise<Decided<Chunk>> {
  const { organizationId, model, vector, limit, meaning } = query
  const [carried, ofMeaning] =
    meaning === null ? [sql``, sql`null::float8`] : meaningOf(vector, meaning, isByKey)
  const scope = isByKey ? { ...query, filter: {} } : query
  const [changed, told] =
    since === null
      ? [sql``, sql`null::float8 as told, null::float8 as changed, null as changed_items`]
      : [
          changedSince(query, since),
          sql`(select told from noted where are_few)::float8 as told, (select count(*) from changed)::float8 as changed,
      case when row_number() over (order by n.distance, n.source_item_id, n.position) = 1
        then (select string_agg(distinct c.id::text, ' ') from changed c) end as changed_items`,
        ]
  const statement = sql`
    with ${changed} nearest as materialized (
      select e.source_item_id, e.position, e.embedding <=> ${encodeHalfvec(vector)}::halfvec as distance ${carried}
      from ${from}
      where e.organization_id = ${organizationId} and ${compared(scope)} ${where}
      order by distance, e.source_item_id, e.position
      limit ${limit}
    )
    select m.id as active_id, m.name as active_name, array(${removedSources(organizationId)})::text[] as removed,
      coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision,
      ${told},
      n.distance::float8 as distance, ${ofMeaning} as meaning, n.position,
      ${reading.columns}
    from organizations o
    left join embedding_models m on m.id = o.embedding_model_id
    left join ${reading.joined(organizationId)} on n.distance < 1
    where o.id = ${organizationId}
    order by n.distance, n.source_item_id, n.position`.compile(db)
  const isPrepared = isByKey && query.entityIds === null
  const run = isPrepared ? preparedByKey(statement.sql) : null
  const { rows } = await (run ? run(db, statement.parameters) : db.executeQuery(statement))
  const { standing, chunks } = reading.parse(rows)
  return {
    nearest: inStanding(standing, model, foundOf(db, query, chunks)),
    removedSourceIds: standing?.removed ?? [],
    revision: standing?.revision ?? 0,
    changedItemIds: changedItems(standing, since),
    last: chunks.length < limit ? 0 : (chunks.at(-1)?.score ?? 0),
  }
}

function changedItems(
  standing: z.output<typeof Standing> | undefined,
  since: Since | null,
): ReadonlySet<string> | null {
  if (since === null || standing?.told == null || standing.changed === null) return null
  if (standing.told !== standing.revision - since.revision || standing.changed > since.chunksMax) return null
  return new Set(standing.changed_items?.split(' '))
}

const prepared = new Map<string, Prepared<unknown>>()
/** Connections keep each; what is asked for more seldom than so many others is parsed anew. */
const PREPARED_MAX = 64

/** A statement that finds rows by their keys. Their texts differ by what of scope, filter and meaning is asked for; null: there are too many. */
function preparedByKey(text: string): Prepared<unknown> | null {
  const known = prepared.get(text)
  if (known || prepared.size >= PREPARED_MAX) return known ?? null
  const made = prepare(text)
  prepared.set(text, made)
  return made
}

/** What was found, best first. */
export function foundOf<Chunk extends NearChunk>(
  db: Db,
  query: NearestQuery,
  chunks: Chunk[],
): Extract<Nearest<Chunk>, { state: 'found' }> {
  const best = chunks[0]?.score
  return { state: 'found', chunks, best, countCompared: () => countCompared(db, query), isApproximate: false }
}

function inStanding<Chunk extends NearChunk>(
  standing: z.output<typeof Standing> | undefined,
  asked: StoredModel,
  found: Nearest<Chunk>,
): Nearest<Chunk> {
  const { active_id: id = null, active_name: name = null } = standing ?? {}
  if (id === null || name === null) return { state: 'nothing_stored' }
  if (id !== asked.id) return { state: 'other_model', model: { id, name } }
  return found
}

/** Which of an organization's vectors a query is compared with: those of the model and the scope whose items the filter lets pass. */
export function compared({
  organizationId,
  model,
  providers,
  filter,
  entityIds,
}: Pick<
  NearestQuery,
  'organizationId' | 'model' | 'providers' | 'filter' | 'entityIds'
>): RawBuilder<unknown> {
  const inScope = providers === null ? sql`` : sql`and e.provider in (${sql.join([...providers])})`
  return sql`e.embedding_model_id = ${model.id} ${inScope}
    ${matchingItems(organizationId, filter)} ${naming(organizationId, entityIds)}`
}

/**
 * The dot product of the vector with the query's in the part of meaning, and what the scan has to carry along for it: of a few
 * rows the product, of many the vector, so that only those that are found are multiplied.
 */
function meaningOf(
  vector: Float32Array,
  { from, length }: MeaningPart,
  isOfFew: boolean,
): [carried: RawBuilder<unknown>, product: RawBuilder<unknown>] {
  const part = encodeHalfvec(vector.subarray(from, from + length))
  // The operator of pgvector is the negative product.
  const productOf = (embedding: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`-(subvector(${embedding}, ${sql.lit(from + 1)}, ${sql.lit(length)}) <#> ${part}::halfvec)`
  return isOfFew
    ? [sql`, ${productOf(sql`e.embedding`)} as meaning`, sql`n.meaning`]
    : [sql`, e.embedding`, productOf(sql`n.embedding`)]
}

/**
 * What belongs to a source that a person removed is being deleted bit by bit. The scan passes over it only while there is such a
 * source: to look at each chunk's item costs a quarter of its time.
 */
export function notRemoved(organizationId: string): RawBuilder<unknown> {
  return sql`and (not exists (${removedSources(organizationId)}) or not exists (
    select from source_items f
    where f.organization_id = ${organizationId} and f.id = e.source_item_id
      and f.source_id in (${removedSources(organizationId)})))`
}

function removedSources(organizationId: string): RawBuilder<unknown> {
  return sql`select s.id from sources s where s.organization_id = ${organizationId} and s.removed_at is not null`
}
