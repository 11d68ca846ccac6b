import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import type { Db } from '../database/database.ts'
import { inSizedParts } from '../kernel/in-parts.ts'
import { transact } from '../database/retry-conflicts.ts'
import { decodeHalfvec } from '../database/halfvec.ts'
import type { Row } from '../database/schema.ts'
import { readModelState, type StoredModel } from '../models/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FairLimit } from '../kernel/fair-limit.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { mayBeRead } from '../permissions/index.ts'
import { PROVIDERS, providersOf } from '../providers/index.ts'
import { fieldsOf } from './item.ts'
import { originOf } from './item-policies.ts'

/** The format of the lines; docs/reference/export-format.md describes it. */
const FORMAT = { format: 'retrieval-memory', version: 1 }
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'
/** Per read. One item may be larger. */
const ITEMS_A_READ = 100
const TEXT_BYTES_A_READ = 512 * 1024
const CHUNKS_A_READ = 256

interface ExportDeps {
  db: Db
  clock: Clock
  /** Reads of exports take turns, so that none slows the others' requests. */
  admit: FairLimit
  /** What the viewer may read now. @throws AppError once access is refused */
  viewAgain: () => Promise<Viewer>
}

/** Records the export, then yields its lines: a header, an item each, and an end, without which it is incomplete. */
export async function exportItems(
  deps: ExportDeps,
  viewer: Viewer,
  after: string | undefined,
): Promise<AsyncGenerator<string>> {
  const { db, clock } = deps
  const { organizationId } = viewer
  const at = clock.now()
  await transact(db, (tx) =>
    recordEvent(tx, viewer, {
      action: 'organization.export',
      target: ['organization', organizationId],
      metadata: after === undefined ? {} : { after },
      providers: PROVIDERS,
      at,
    }),
  )
  return writeLines(deps, viewer, after ?? BEFORE_ALL, at)
}

async function* writeLines(
  { db, admit, viewAgain }: ExportDeps,
  viewer: Viewer,
  start: string,
  at: Date,
): AsyncGenerator<string> {
  const { organizationId: owner } = viewer
  const { active } = await readModelState(db, owner)
  const sources = await readSources(db, viewer)
  yield lineOf({ ...FORMAT, exportedAt: at.toISOString(), model: active?.name ?? null, sources })
  for (let after: string | undefined = start; after !== undefined;) {
    const place: string = after
    const { items, last } = await admit({
      owner,
      run: async () => readItems(db, await viewAgain(), active, place),
    })
    for (const item of items) yield lineOf(item)
    after = last
  }
  yield lineOf({ end: true })
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`

function readSources(db: Db, viewer: Viewer) {
  return db
    .selectFrom('sources')
    .select(['id', 'provider', 'display_name as displayName'])
    .where('organization_id', '=', viewer.organizationId)
    .where('provider', 'in', providersOf(viewer))
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** The next items by id, and the last id, even if its item was deleted meanwhile; undefined at the end. */
async function readItems(
  db: Db,
  viewer: Viewer,
  model: StoredModel | null,
  after: string,
): Promise<{ items: object[]; last: string | undefined }> {
  const { organizationId, readable } = viewer
  const ids = await nextIds(db, viewer, after)
  const last = ids.at(-1)
  if (last === undefined) return { items: [], last }
  const rows = await db
    .selectFrom('source_items as i')
    .selectAll('i')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('synced_items as s')
          .select('s.source_item_id')
          .where('s.organization_id', '=', organizationId)
          .whereRef('s.source_item_id', '=', 'i.id'),
      ).as('is_synced'),
    )
    .where('i.organization_id', '=', organizationId)
    .where('i.id', 'in', ids)
    .orderBy('i.id')
    .execute()
  const chunks = await readChunks(db, organizationId, model, ids)
  const items = rows
    .filter((row) => readable.has(row.policy_id))
    .map(({ is_synced, ...row }) => {
      const { sourceId: connectorId, ...fields } = fieldsOf(row)
      const hash = Buffer.from(row.content_sha256).toString('hex')
      return Object.assign({ id: row.id, connectorId }, fields, {
        metadata: portableMetadata(row, is_synced === true),
        // A change between the reads leaves chunks of another text.
        chunks: (chunks.get(row.id) ?? []).filter((chunk) => chunk.hash === hash).map(toExportedChunk),
      })
    })
  return { items, last }
}

const Places = z.array(z.object({ id: z.string(), bytes: z.number() }))

/** At least one id while there are items. */
async function nextIds(db: Db, viewer: Viewer, after: string): Promise<string[]> {
  const { rows } = await sql`
    select i.id, octet_length(i.body) as bytes from source_items i
    join sources s on s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
    where i.organization_id = ${viewer.organizationId} and i.id > ${after}
      and i.provider in (${sql.join([...providersOf(viewer)])}) and ${mayBeRead(viewer.readable, 'policy_id')}
    order by i.id limit ${ITEMS_A_READ}`.execute(db)
  const most = { count: ITEMS_A_READ, size: TEXT_BYTES_A_READ }
  const [first = []] = inSizedParts(Places.parse(rows), ({ bytes }) => bytes, most)
  return first.map(({ id }) => id)
}

const Chunks = z.array(
  z.object({
    id: z.string(),
    position: z.number(),
    heading: z.string().nullable(),
    content: z.string(),
    /** The item's content hash when the chunk was read. */
    hash: z.string(),
    vector: z.string().nullable(),
  }),
)
type ExportedChunk = z.output<typeof Chunks>[number]

/** The chunks of these items in order, by item. */
async function readChunks(
  db: Db,
  organizationId: string,
  model: StoredModel | null,
  ids: readonly string[],
): Promise<Map<string, ExportedChunk[]>> {
  const chunks: ExportedChunk[] = []
  let last = { id: BEFORE_ALL, position: -1 }
  for (let found = CHUNKS_A_READ; found === CHUNKS_A_READ;) {
    // The sum keeps the planner from reading all vectors of the model for each page.
    const { rows } = await sql`
      select c.source_item_id as id, c.position, c.heading, c.content, encode(i.content_sha256, 'hex') as hash,
        encode(halfvec_send(e.embedding), 'hex') as vector
      from chunks c
      join source_items i on i.organization_id = c.organization_id and i.id = c.source_item_id
      left join chunk_embeddings e on e.organization_id = c.organization_id and e.source_item_id = c.source_item_id
        and e.position = c.position and e.embedding_model_id + 0 = ${model?.id ?? 0}
      where c.organization_id = ${organizationId} and c.source_item_id in (${sql.join([...ids])})
        and (c.source_item_id, c.position) > (${last.id}::uuid, ${last.position}::int)
      order by c.source_item_id, c.position limit ${CHUNKS_A_READ}`.execute(db)
    const some = Chunks.parse(rows)
    chunks.push(...some)
    found = some.length
    last = some.at(-1) ?? last
  }
  return Map.groupBy(chunks, ({ id }) => id)
}

function toExportedChunk({ heading, content, vector }: ExportedChunk) {
  if (vector === null) return { heading, content, vector }
  const halves = decodeHalfvec(Buffer.from(vector, 'hex'))
  return { heading, content, vector: Buffer.from(halves.buffer).toString('base64') }
}

const Policy = z.looseObject({ visibility: z.string(), deny: z.unknown().optional() })

/** Metadata that grants no more after an import: there, `workspace` would mean all members, not the source's. */
function portableMetadata(row: Row<'source_items'>, isSynced: boolean): Record<string, unknown> {
  const { accessPolicy, ...metadata } = row.metadata
  if (accessPolicy === undefined || !isSynced) return row.metadata
  const origin = originOf({ provider: row.provider, sourceId: row.source_id }, 'sync')
  const policy = Policy.safeParse(accessPolicy)
  const isOfItem = origin.by === 'sync' && origin.reportsReaders && policy.data?.visibility !== 'workspace'
  if (isOfItem) return row.metadata
  const deny = policy.data?.deny
  const denying = deny === undefined ? {} : { deny }
  return { ...metadata, accessPolicy: { visibility: 'restricted', groups: [row.source_id], ...denying } }
}
