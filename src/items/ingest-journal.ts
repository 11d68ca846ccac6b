import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { PROVIDERS } from '../providers/index.ts'
import { SOURCE_KINDS } from './document-schema.ts'
import type { CleanItem } from './item.ts'

/** What one statement writes, in characters: a few milliseconds. One document may be longer. */
const CHARACTERS_A_PART = 256_000
/** Deleted by one statement. */
const PARTS_AT_ONCE = 16

/** An ingest of an organization. */
export interface IngestRef {
  organizationId: string
  ingestId: string
}

const moment = z.iso
  .datetime()
  .transform((text) => new Date(text))
  .nullable()
const WrittenItem = z.object({
  sourceId: z.string(),
  provider: z.enum(PROVIDERS),
  sourceKind: z.enum(SOURCE_KINDS),
  externalId: z.string(),
  title: z.string(),
  body: z.string(),
  url: z.string().nullable(),
  authorName: z.string().nullable(),
  sourceCreatedAt: moment,
  sourceUpdatedAt: moment,
  metadataJson: z.string(),
  hash: z.string(),
}) satisfies z.ZodType<CleanItem>
const WrittenItems = z.array(WrittenItem)
const COLUMNS = Object.keys(WrittenItem.shape)

/** A part of what is written down of an ingest. */
export interface Part {
  /** 1, 2, … */
  part: number
  /** JSON, a list. */
  items: string
}

/**
 * Writes down the documents of an ingest, a few at a time, but for the last of them.
 * @param onWritten told of each part
 * @returns the last one, with which the ingest is decided
 */
export async function writeParts(
  db: Db,
  ingest: IngestRef,
  items: readonly CleanItem[],
  onWritten: () => void,
): Promise<Part> {
  let last: Part = { part: 0, items: '' }
  for (const text of textsOf(items)) {
    if (last.part > 0) {
      await insertPart(db, ingest, last, false)
      onWritten()
    }
    last = { part: last.part + 1, items: text }
  }
  return last
}

/** Writes down the last part, which decides an ingest: from the commit on its documents count as given, whatever happens. */
export async function decide(tx: Tx, ingest: IngestRef, last: Part): Promise<void> {
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

/** Texts of about {@link CHARACTERS_A_PART}, but for the last one, which is shorter and may have no items. Each is made when it is asked for. */
function* textsOf(items: readonly CleanItem[]): Generator<string> {
  let texts: string[] = []
  let characters = 0
  for (const item of items) {
    const text = JSON.stringify(item, COLUMNS)
    texts.push(text)
    characters += text.length
    if (characters < CHARACTERS_A_PART) continue
    yield `[${texts.join(',')}]`
    texts = []
    characters = 0
  }
  yield `[${texts.join(',')}]`
}

/** An ingest of which something is written down. */
export interface WrittenIngest extends IngestRef {
  /** The number of the last part that is there. */
  parts: number
  isDecided: boolean
}

/** All of them, but for organizations that are being removed: theirs goes with them. */
export async function findWritten(db: Db): Promise<WrittenIngest[]> {
  return await db
    .selectFrom('ingest_parts')
    .innerJoin('organizations', 'organizations.id', 'ingest_parts.organization_id')
    .select(['organization_id as organizationId', 'ingest_id as ingestId'])
    .select((eb) => [eb.fn.max('part').as('parts'), sql<boolean>`bool_or(decides)`.as('isDecided')])
    .where('organizations.removed_at', 'is', null)
    .groupBy(['organization_id', 'ingest_id'])
    .execute()
}

/** The documents of an ingest as they were written down, a part at a time. */
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
    yield WrittenItems.parse(JSON.parse(row.items))
    after = row.part
  }
}

const deleteParts = prepare(
  `delete from ingest_parts where organization_id = $1 and ingest_id = $2 and part > $3`,
)

/** Deletes what is written down of an ingest, a few parts at a time, the last first: without it the ingest is not decided. */
export async function erase(db: Db, { organizationId, ingestId }: IngestRef, parts: number): Promise<void> {
  for (let left = parts; left > 0;) {
    left = Math.max(0, left - PARTS_AT_ONCE)
    await deleteParts(db, [organizationId, ingestId, left])
  }
}
