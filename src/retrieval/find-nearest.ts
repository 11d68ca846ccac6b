import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import type { StoredModel } from '../embeddings/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableJson, storableText } from '../kernel/text.ts'
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
}

/** A found chunk with its item. */
export interface NearestChunk {
  sourceItemId: string
  position: number
  /** Cosine similarity, above 0 and at most 1. */
  score: number
  /** What of the score comes from what words mean; null: not asked for. */
  meaning: number | null
  title: string
  content: string
  url: string | null
  provider: ProviderId
  metadata: Record<string, unknown>
  syncedAt: Date
}

export type Nearest =
  /** Best first; ties by item and position. */
  | {
      state: 'found'
      chunks: NearestChunk[]
      countCompared: () => Promise<number>
      /** Whether nearer ones may be missing. */
      isApproximate: boolean
    }
  /** Another model than the query's answers for the organization: the query has to be embedded by that one. */
  | { state: 'other_model'; model: StoredModel }
  /** The organization has stored nothing yet. */
  | { state: 'nothing_stored' }

const Count = z.tuple([z.object({ compared: z.number() })])

/** What every row says of the organization. */
const Standing = z.object({
  active_id: z.number().nullable(),
  active_name: z.string().nullable(),
  removed: z.array(z.string()),
  revision: z.number(),
})

const Rows = z.array(
  z.union([
    Standing.extend({
      id: z.string(),
      position: z.number(),
      distance: z.number(),
      meaning: z.number().nullable(),
      title: z.string(),
      content: z.string(),
      url: z.string().nullable(),
      provider: z.enum(PROVIDERS),
      metadata: z.record(z.string(), z.unknown()),
      synced_at: z.date(),
    }),
    // The only row of a scan that met nothing.
    Standing.extend({ id: z.null() }),
  ]),
)

/**
 * The chunks whose vectors are nearest to the query's, by an exact scan of the organization's vectors of one model, with
 * scope and filter inside it. One statement, so that the answering model and the vectors are of one snapshot.
 * A chunk at a right angle or beyond (score 0) is not among them.
 */
export async function findNearest(db: Db, query: NearestQuery): Promise<Nearest> {
  const { nearest, removedSourceIds } = await scan(db, query, { from: sql`chunk_embeddings e`, where: sql`` })
  if (removedSourceIds.length === 0 || nearest.state !== 'found') return nearest
  const where = notRemoved(query.organizationId)
  return (await scan(db, query, { from: sql`chunk_embeddings e`, where })).nearest
}

/** What a statement found, and of which state of the organization. */
export interface Decided {
  nearest: Nearest
  /** Removed and not deleted yet: nothing of them was found. */
  removedSourceIds: string[]
  /** Of the organization's items. */
  revision: number
}

/** The nearest of some chunks alone, by the same statement: those that are still there, and in scope. */
export async function decideNearest(
  db: Db,
  query: NearestQuery,
  candidates: readonly { itemId: string; position: number }[],
): Promise<Decided> {
  const ids = arrayOf(candidates.map(({ itemId }) => itemId))
  const positions = arrayOf(candidates.map(({ position }) => position))
  // One by one by their key, whatever the planner believes of an organization's size: it may know no better than that it was empty.
  const from = sql`unnest(${ids}::text::uuid[], ${positions}::text::int[]) as k(id, position)
      cross join lateral (
        select e.source_item_id, e.position, e.embedding, e.organization_id, e.embedding_model_id, e.provider
        from chunk_embeddings e
        where e.organization_id = ${query.organizationId} and e.source_item_id = k.id and e.position = k.position
          and e.embedding_model_id = ${query.model.id}
        limit 1
      ) e`
  return await scan(db, query, { from, where: notRemoved(query.organizationId), isByKey: true })
}

/** An array as PostgreSQL reads it, of values that need no quotes. */
function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
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
async function scan(
  db: Db,
  query: NearestQuery,
  {
    from,
    where,
    isByKey = false,
  }: { from: RawBuilder<unknown>; where: RawBuilder<unknown>; isByKey?: boolean },
): Promise<Decided> {
  const { organizationId, model, vector, limit, meaning } = query
  const [carried, ofMeaning] = meaning === null ? [sql``, sql`null::float8`] : meaningOf(vector, meaning)
  const ofItems = matchingItems(organizationId, query.filter)
  const statement = sql`
    with nearest as materialized (
      select e.source_item_id, e.position, e.embedding <=> ${encodeHalfvec(vector)}::halfvec as distance ${carried}
      from ${from}
      where e.organization_id = ${organizationId} and ${compared(query)} ${where}
      order by distance, e.source_item_id, e.position
      limit ${limit}
    )
    select m.id as active_id, m.name as active_name, array(${removedSources(organizationId)})::text[] as removed,
      coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision,
      n.distance::float8 as distance, ${ofMeaning} as meaning, n.position,
      i.id, i.title, c.content, i.url, i.provider, i.metadata, i.synced_at
    from organizations o
    left join embedding_models m on m.id = o.embedding_model_id
    left join (
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
    ) on n.distance < 1
    where o.id = ${organizationId}
    order by n.distance, n.source_item_id, n.position`.compile(db)
  const isPrepared = isByKey && ofItems === null && query.entityIds === null
  const { rows } = await (isPrepared
    ? preparedByKey(statement.sql)(db, statement.parameters)
    : db.executeQuery(statement))
  const parsed = Rows.parse(rows)
  const nearest = toNearest(parsed, model, () => countCompared(db, query))
  return {
    nearest,
    removedSourceIds: parsed[0]?.removed ?? [],
    revision: parsed[0]?.revision ?? 0,
  }
}

const prepared = new Map<string, Prepared<unknown>>()

/** A statement that finds rows by their keys. There are few texts: by how many providers are asked for, and whether meaning is. */
function preparedByKey(text: string): Prepared<unknown> {
  const known = prepared.get(text) ?? prepare(text)
  prepared.set(text, known)
  return known
}

function toNearest(
  rows: z.output<typeof Rows>,
  asked: StoredModel,
  countAll: () => Promise<number>,
): Nearest {
  const { active_id: id = null, active_name: name = null } = rows[0] ?? {}
  if (id === null || name === null) return { state: 'nothing_stored' }
  if (id !== asked.id) return { state: 'other_model', model: { id, name } }
  return { state: 'found', chunks: rows.flatMap(toChunk), countCompared: countAll, isApproximate: false }
}

function toChunk(row: z.output<typeof Rows>[number]): NearestChunk[] {
  if (row.id === null) return []
  const { position, title, content, url, provider, metadata, meaning } = row
  const score = Math.min(1, 1 - row.distance)
  const item = { sourceItemId: row.id, title, url, provider, metadata, syncedAt: row.synced_at }
  return [{ ...item, position, content, score, meaning }]
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
    ${matchingItems(organizationId, filter) ?? sql``} ${naming(organizationId, entityIds)}`
}

/** The vector as the scan has to carry it along, and its dot product with the query's in the part of meaning. */
function meaningOf(
  vector: Float32Array,
  { from, length }: MeaningPart,
): [carried: RawBuilder<unknown>, product: RawBuilder<unknown>] {
  const part = encodeHalfvec(vector.subarray(from, from + length))
  // The operator of pgvector is the negative product.
  return [
    sql`, e.embedding`,
    sql`-(subvector(n.embedding, ${sql.lit(from + 1)}, ${sql.lit(length)}) <#> ${part}::halfvec)`,
  ]
}

/**
 * What belongs to a source that a person removed is being deleted bit by bit. The scan passes over it only while there is such a
 * source: the condition costs a quarter of its time.
 */
export function notRemoved(organizationId: string): RawBuilder<unknown> {
  return sql`and not exists (
    select from source_items f
    where f.organization_id = ${organizationId} and f.id = e.source_item_id
      and f.source_id in (${removedSources(organizationId)}))`
}

function removedSources(organizationId: string): RawBuilder<unknown> {
  return sql`select s.id from sources s where s.organization_id = ${organizationId} and s.removed_at is not null`
}

/** A condition on the chunk's item: that it names one of these. */
function naming(organizationId: string, entityIds: readonly string[] | null): RawBuilder<unknown> {
  if (entityIds === null) return sql``
  return sql`and e.source_item_id in (
    select n.source_item_id from item_entities n
    where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])}))`
}

/** The filter as a condition on the chunk's item; null when it asks for nothing of it. */
function matchingItems(organizationId: string, filter: SearchFilter): RawBuilder<unknown> | null {
  const conditions: RawBuilder<unknown>[] = []
  if (filter.sourceKinds) conditions.push(sql`f.source_kind in (${sql.join(filter.sourceKinds)})`)
  if (filter.authorName !== undefined)
    conditions.push(sql`f.author_name = ${storableText(filter.authorName)}`)
  if (filter.connectorId !== undefined) conditions.push(sql`f.source_id = ${filter.connectorId}`)
  // An item whose source gave no date counts as of when it came here.
  const updatedAt = sql`coalesce(f.source_updated_at, f.source_created_at, f.synced_at)`
  if (filter.updatedAfter !== undefined)
    conditions.push(sql`${updatedAt} >= ${new Date(filter.updatedAfter)}`)
  if (filter.updatedBefore !== undefined)
    conditions.push(sql`${updatedAt} < ${new Date(filter.updatedBefore)}`)
  // Containment of a value that is no object or array is equality.
  if (filter.metadata) {
    conditions.push(sql`f.metadata @> ${JSON.stringify(storableJson(filter.metadata))}::jsonb`)
  }
  if (conditions.length === 0) return null
  return sql`and e.source_item_id in (
    select f.id from source_items f
    where f.organization_id = ${organizationId} and ${sql.join(conditions, sql` and `)})`
}
