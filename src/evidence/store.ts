import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { acquireLease, type Lease } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { OwnCalibration } from './measure.ts'

/** An organization's vectors of one model, by provider, so that none leaks information about another. */
export interface Calibrated {
  organizationId: string
  modelId: number
}

/** The number of a provider's chunks, now and when it was measured; 0: not measured. */
export interface ProviderChunks {
  provider: ProviderId
  chunks: number
  measuredChunks: number
}

/** A provider's calibration, with the number of its chunks at that time. */
export type StoredCalibration = OwnCalibration & { chunks: number }

export interface SampledChunk {
  content: string
  vector: Float32Array
}

const Organizations = z.array(
  z.object({ organizationId: z.string(), modelId: z.number(), modelName: z.string() }),
)

/** The organizations whose active model is none of these. */
export async function findOrganizations(
  db: Db,
  calibratedModels: readonly string[],
): Promise<(Calibrated & { modelName: string })[]> {
  const { rows } = await sql`
    select o.id as "organizationId", m.id as "modelId", m.name as "modelName"
    from organizations o join embedding_models m on m.id = o.embedding_model_id
    where m.name not in (select value from json_array_elements_text(${JSON.stringify(calibratedModels)}::json)) and o.removed_at is null
    order by o.id`.execute(db)
  return Organizations.parse(rows)
}

const Counts = z.array(
  z.object({ provider: z.enum(PROVIDERS), chunks: z.number(), measuredChunks: z.number() }),
)

/** Counts the chunks of every provider that has some or was measured. */
export async function countChunks(
  db: Db,
  { organizationId, modelId }: Calibrated,
): Promise<ProviderChunks[]> {
  const { rows } = await sql`
    select provider, sum(chunks)::int as chunks, sum(measured)::int as "measuredChunks" from (
      select e.provider, count(*) as chunks, 0 as measured from chunk_embeddings e
      where e.organization_id = ${organizationId} and e.embedding_model_id = ${modelId} and ${isNotRemoved(organizationId)}
      group by e.provider
      union all
      select provider, 0, chunks from evidence_calibrations
      where organization_id = ${organizationId} and embedding_model_id = ${modelId}
    ) as counted group by provider order by provider`.execute(db)
  return Counts.parse(rows)
}

/** Deletes a provider's calibration, and those of inactive models. */
export async function deleteCalibrations(
  db: Db,
  { organizationId, modelId }: Calibrated,
  providers: readonly ProviderId[],
): Promise<void> {
  await sql`
    delete from evidence_calibrations where organization_id = ${organizationId} and (embedding_model_id <> ${modelId}
      or provider in (select value from json_array_elements_text(${JSON.stringify(providers)}::json)))`.execute(
    db,
  )
}

/** Acquires a provider's lease. @returns null if another process holds it */
export async function claim(
  db: Db,
  { organizationId, modelId }: Calibrated,
  provider: ProviderId,
  seconds: number,
): Promise<Lease<'evidence_calibrations'> | null> {
  const key = { organization_id: organizationId, embedding_model_id: modelId, provider }
  await db
    .insertInto('evidence_calibrations')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return await acquireLease(db, { table: 'evidence_calibrations', key }, { seconds })
}

const StoredRows = z.array(z.object({ chunks: z.number(), level: z.number(), threshold: z.number() }))

/** The calibrations of these providers; null: of all. */
export async function findStored(
  db: Db,
  { organizationId, modelId }: Calibrated,
  providers: readonly ProviderId[] | null,
): Promise<StoredCalibration[]> {
  const inScope = providers === null ? sql`` : sql`and provider in (${sql.join([...providers])})`
  const { rows } = await sql`
    select chunks, level, threshold from evidence_calibrations
    where organization_id = ${organizationId} and embedding_model_id = ${modelId} and threshold is not null ${inScope}
    order by provider`.execute(db)
  return StoredRows.parse(rows)
}

const SampleRows = z.array(z.object({ content: z.string(), embedding: z.string() }))

/** A deterministic pseudo-random sample of a provider's chunks. */
export async function sampleChunks(
  db: Db,
  { organizationId, modelId }: Calibrated,
  provider: ProviderId,
  limit: number,
): Promise<SampledChunk[]> {
  const { rows } = await sql`
    select c.content, s.embedding::text as embedding from (
      select e.source_item_id, e.position, e.embedding from chunk_embeddings e
      where e.organization_id = ${organizationId} and e.embedding_model_id = ${modelId} and e.provider = ${provider}
        and ${isNotRemoved(organizationId)}
      order by md5(e.source_item_id::text || e.position::text), e.source_item_id, e.position limit ${limit}
    ) s
    join chunks c on c.organization_id = ${organizationId} and c.source_item_id = s.source_item_id and c.position = s.position
    order by c.source_item_id, c.position`.execute(db)
  return SampleRows.parse(rows).map(({ content, embedding }) => ({
    content,
    vector: decodeVector(embedding),
  }))
}

const Numbers = z.array(z.number())

/** The text form of a halfvec, `[0.1,0.2]`, is JSON. */
function decodeVector(text: string): Float32Array {
  return Float32Array.from(Numbers.parse(JSON.parse(text)))
}

/** Requires that the chunk's source is not being removed. */
function isNotRemoved(organizationId: string): RawBuilder<unknown> {
  return sql`not exists (
    select from sources r join source_items i on i.organization_id = ${organizationId} and i.source_id = r.id
    where r.organization_id = ${organizationId} and r.removed_at is not null and i.id = e.source_item_id)`
}
