import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { decodeHalfvec, encodeHalfvec } from '../database/halfvec.ts'
import { createPreparedShapes } from '../database/prepared.ts'
import type { StoredModel } from '../models/index.ts'
import { distanceError, lengthOf } from '../vector-scan/index.ts'
import { wheresOf, naming, notBeingRemoved, removedSources } from './scope-conditions.ts'
import { CHUNK_FIELDS, ITEM_FIELDS, SELECTED_ITEM_FIELDS, ShownChunk } from './hit-fields.ts'
import type { ChunkKey } from '../vector-memory/index.ts'
import type { ChunkRow, NearestQuery } from './nearest-query.ts'

/** The organization's state, read in the same statement and database snapshot as the rows. */
export interface OrganizationState {
  /** The organization's active model; null: nothing is stored yet. */
  model: StoredModel | null
  /** Sources being removed. No search may return their chunks. */
  removedSourceIds: readonly string[]
  revision: number
}

/** Stored rows, with the changes since a revision. */
export interface StoredRows {
  state: OrganizationState
  /** Rows in scope: the requested ones that still exist, and all chunks of changed items. */
  rows: ChunkRow[]
  /** Items changed since the revision; null: too many, or the log of changes starts after the revision. */
  changedItemIds: ReadonlySet<string> | null
}

/** With more changed chunks, catching up first is cheaper than reading them. */
const CHANGED_CHUNKS_MAX = 512
/** The size of an item ID in a JSON list, with quotes and comma. */
const CHARACTERS_PER_ID = 40

const StateRow = z.object({
  active_id: z.number().nullable(),
  active_name: z.string().nullable(),
  removed: z.array(z.string()),
  revision: z.number(),
  logged: z.number(),
  changed: z.number(),
  /** In the first row only. */
  changed_items: z.string().nullable(),
})
const Missing = StateRow.extend({ id: z.null() })
const Found = StateRow.extend({
  id: z.string(),
  position: z.number(),
  vector: z.string(),
  policy_id: z.number().nullable(),
  ...ShownChunk.shape,
})
const Rows = z.array(z.union([Found, Missing]))

/** The rows in scope of an organization and model. */
export type RowScope = Pick<NearestQuery, 'organizationId' | 'providers' | 'filter' | 'entityIds'> & {
  model: Pick<StoredModel, 'id'>
}

/** A filter by an entity lists all its names, which makes too many statement shapes to prepare. */
const runPrepared = createPreparedShapes()

/** Excludes rows that cannot be among the `limit` nearest to a vector, which saves transferring most of them. */
export type Narrowing = Pick<NearestQuery, 'vector' | 'limit'>

/** Reads rows by their keys, and all chunks changed since a revision, in one statement. */
export async function readRows(
  db: Db,
  query: RowScope,
  { keys, since, narrowing }: { keys: readonly ChunkKey[]; since: number; narrowing?: Narrowing | undefined },
): Promise<StoredRows> {
  const statement = sql`
    with ${changedSince(query, since)},
    ${rowsByKey(query, keys, narrowing)}
    select m.id as active_id, m.name as active_name, array(${removedSources(query.organizationId)})::text[] as removed,
      coalesce((select r.revision from item_revisions r where r.organization_id = ${query.organizationId}), 0)::float8 as revision,
      coalesce((select logged from log where is_small), -1)::float8 as logged, (select count(*) from changed)::float8 as changed,
      case when row_number() over (order by r.id, r.position) = 1
        then (select string_agg(distinct c.id::text, ' ') from changed c) end as changed_items,
      r.*
    from organizations o
    left join embedding_models m on m.id = o.embedding_model_id
    left join rows r on true
    where o.id = ${query.organizationId}`.compile(db)
  const result = await (query.entityIds === null ? runPrepared(db, statement) : db.executeQuery(statement))
  const parsed = Rows.parse(result.rows)
  const [first] = parsed
  const state = stateOf(first)
  const isWhole = first?.logged === state.revision - since && first.changed <= CHANGED_CHUNKS_MAX
  const ids = parsed.find((row) => row.changed_items !== null)?.changed_items
  return {
    state,
    rows: parsed.flatMap((row) => (row.id === null ? [] : [toChunkRow(row)])),
    changedItemIds: isWhole ? new Set(ids?.split(' ')) : null,
  }
}

/** @param first undefined: the organization no longer exists */
function stateOf(first: z.output<typeof StateRow> | undefined): OrganizationState {
  if (first === undefined) return { model: null, removedSourceIds: [], revision: 0 }
  const { active_id: id, active_name: name, removed, revision } = first
  return { model: id === null || name === null ? null : { id, name }, removedSourceIds: removed, revision }
}

function toChunkRow(row: z.output<typeof Found>): ChunkRow {
  const values = decodeHalfvec(Buffer.from(row.vector, 'hex'))
  return {
    key: { itemId: row.id, position: row.position },
    values,
    length: lengthOf(values),
    policyId: row.policy_id,
    shown: ShownChunk.parse(row),
  }
}

/** The log of changes after a revision, and the chunks of the changed items; none if there are too many. */
function changedSince({ organizationId, model }: RowScope, revision: number): RawBuilder<unknown> {
  // Item by item, so that no query plan reads all chunks of the organization.
  return sql`log as materialized (
      select count(h.item_ids) as logged, coalesce(sum(octet_length(h.item_ids)), 0) <= ${CHANGED_CHUNKS_MAX * CHARACTERS_PER_ID} as is_small
      from item_changes h where h.organization_id = ${organizationId} and h.revision > ${revision}
    ), changed as materialized (
      select i.id, e.position
      from (
        select distinct g.id::uuid as id from item_changes h
        cross join lateral json_array_elements_text(h.item_ids::json) as g(id)
        where h.organization_id = ${organizationId} and h.revision > ${revision} and (select is_small from log)
      ) i
      left join lateral (
        select e.position from chunk_embeddings e
        where e.organization_id = ${organizationId} and e.source_item_id = i.id and e.embedding_model_id + 0 = ${model.id}
        offset 0
      ) e on true
      limit ${CHANGED_CHUNKS_MAX + 1}
    )`
}

function rowsByKey(
  query: RowScope,
  keys: readonly ChunkKey[],
  narrowing: Narrowing | undefined,
): RawBuilder<unknown> {
  const { organizationId, model, providers, filter, entityIds } = query
  const [ids, positions] = keyArrays(keys)
  const inScope = providers === null ? sql`` : sql`and e.provider in (${sql.join([...providers])})`
  const conditions = [...wheresOf(filter), ...naming(organizationId, entityIds)]
  const matches = conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, sql` and `)}`
  const distance =
    narrowing === undefined ? sql`null` : sql`e.embedding <=> ${encodeHalfvec(narrowing.vector)}::halfvec`
  // The sum keeps the planner from looking up the model in another index. PostgreSQL encodes hex twice as fast as
  // base64.
  return sql`found as materialized (
      select k.id, k.position, e.embedding, ${distance} as distance, f.*
      from (
        select g.id, g.position from unnest(${ids}::text::uuid[], ${positions}::text::int[]) as g(id, position)
        union select c.id, c.position from changed c
      ) k
      cross join lateral (
        select e.source_item_id, e.embedding from chunk_embeddings e
        where e.organization_id = ${organizationId} and e.source_item_id = k.id and e.position = k.position
          and e.embedding_model_id + 0 = ${model.id} ${inScope}
        limit 1
      ) e
      cross join lateral (
        select f.policy_id, ${ITEM_FIELDS} from source_items f
        where f.organization_id = ${organizationId} and f.id = k.id and ${notBeingRemoved(organizationId)} ${matches}
        limit 1
      ) f
    ),
    rows as materialized (
      select n.id, n.position, encode(halfvec_send(n.embedding), 'hex') as vector,
        c.*, n.policy_id, ${SELECTED_ITEM_FIELDS}
      from found n
      cross join lateral (
        select ${CHUNK_FIELDS} from chunks c
        where c.organization_id = ${organizationId} and c.source_item_id = n.id and c.position = n.position
        limit 1
      ) c
      ${narrowing === undefined ? sql`` : nearEnough(narrowing)}
    )`
}

/**
 * Keeps rows up to the k-th distance plus rounding, and of equal vectors the first k. Changed rows do not count: they may be
 * unreadable.
 */
function nearEnough({ vector, limit }: Narrowing): RawBuilder<unknown> {
  const isChanged = sql`m.id in (select c.id from changed c)`
  return sql`where (n.id, n.position) in (
        select m.id, m.position from (
          select m.id, m.position, ${isChanged} as is_changed, row_number() over (
            partition by sha256(halfvec_send(m.embedding)), ${isChanged} order by m.id, m.position) as copy
          from found m
          where m.distance <= coalesce(
            (select m.distance from found m where not ${isChanged}
              order by m.distance offset ${limit - 1}::int limit 1) + ${2 * distanceError(vector.length)}::float8,
            'Infinity'::float8)
        ) m
        where m.is_changed or m.copy <= ${limit}::int
      )`
}

/** Keys as two arrays in PostgreSQL's text form. */
export function keyArrays(keys: readonly ChunkKey[]): [ids: string, positions: string] {
  return [arrayOf(keys.map(({ itemId }) => itemId)), arrayOf(keys.map(({ position }) => position))]
}
