import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { CleanItem } from './item.ts'

/** Characters per statement, which takes a few milliseconds. One document may be longer. */
const CHARACTERS_A_PART = 256_000
/** Parts deleted per statement. */
const PARTS_A_DELETION = 16

export interface IngestRef {
  organizationId: string
  ingestId: string
}

const CleanItems = z.array(CleanItem)
const FIELDS = Object.keys(CleanItem.shape)

export interface Part {
  /** 1, 2, … */
  part: number
  /** JSON, a list. */
  items: string
}

/** Writes an ingest's documents to the journal, except the last part. @returns that part, which commits the ingest */
export async function writeParts(db: Db, ingest: IngestRef, items: readonly CleanItem[]): Promise<Part> {
  let last: Part = { part: 0, items: '' }
  for (const text of textsOf(items)) {
    if (last.part > 0) await insertPart(db, ingest, last, false)
    last = { part: last.part + 1, items: text }
  }
  return last
}

/** Writes the last part. From the commit on, the documents count as accepted, whatever happens. */
export async function commitIngest(tx: Tx, ingest: IngestRef, last: Part): Promise<void> {
  await insertPart(tx, ingest, last, true)
}

const insertRow = prepare(`
  insert into ingest_parts (organization_id, ingest_id, part, items, decides) values ($1, $2, $3, $4, $5)`)

async function insertPart(
  db: Db,
  { organizationId, ingestId }: IngestRef,
  { part, items }: Part,
  decides: boolean,
): Promise<void> {
  await insertRow(db, [organizationId, ingestId, part, items, decides])
}

/** Texts of about {@link CHARACTERS_A_PART}. The last one is shorter and may have no items. */
function* textsOf(items: readonly CleanItem[]): Generator<string> {
  let texts: string[] = []
  let characters = 0
  for (const item of items) {
    const text = JSON.stringify(item, FIELDS)
    texts.push(text)
    characters += text.length
    if (characters < CHARACTERS_A_PART) continue
    yield `[${texts.join(',')}]`
    texts = []
    characters = 0
  }
  yield `[${texts.join(',')}]`
}

export interface JournaledIngest extends IngestRef {
  isCommitted: boolean
}

/** All journaled ingests, except those of organizations that are being removed: their parts are deleted with them. */
export async function findJournaled(db: Db): Promise<JournaledIngest[]> {
  return await db
    .selectFrom('ingest_parts')
    .innerJoin('organizations', 'organizations.id', 'ingest_parts.organization_id')
    .select(['organization_id as organizationId', 'ingest_id as ingestId'])
    .select(sql<boolean>`bool_or(decides)`.as('isCommitted'))
    .where('organizations.removed_at', 'is', null)
    .groupBy(['organization_id', 'ingest_id'])
    .execute()
}

export async function* readParts(
  db: Db,
  { organizationId, ingestId }: IngestRef,
): AsyncGenerator<CleanItem[]> {
  for (let after = 0; ;) {
    const row = await db
      .selectFrom('ingest_parts')
      .select(['part', 'items'])
      .where('organization_id', '=', organizationId)
      .where('ingest_id', '=', ingestId)
      .where('part', '>', after)
      .orderBy('part')
      .limit(1)
      .executeTakeFirst()
    if (!row) return
    yield CleanItems.parse(JSON.parse(row.items))
    after = row.part
  }
}

const deleteParts = prepare(`
  delete from ingest_parts where organization_id = $1 and ingest_id = $2 and part in (
    select part from ingest_parts where organization_id = $1 and ingest_id = $2 order by part desc limit $3)`)

/**
 * Deletes the parts of an ingest, a few at a time. The last part is deleted first: without it, the ingest is not
 * committed.
 */
export async function erase(db: Db, { organizationId, ingestId }: IngestRef): Promise<void> {
  for (let deleted = PARTS_A_DELETION; deleted === PARTS_A_DELETION;) {
    const { numAffectedRows } = await deleteParts(db, [organizationId, ingestId, PARTS_A_DELETION])
    deleted = Number(numAffectedRows)
  }
}
