import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { checkBackup } from '../../../src/backup/index.ts'
import { keptEncryptionKey } from '../../../src/assembly/encryption-keys.ts'
import type { OpenDatabase } from '../../../src/database/database.ts'
import { migrateDatabase, openDatabase } from '../../../src/database/open-database.ts'
import { startTestService } from '../service.ts'
import { type Mark, moveModels, placesIn, silentLogger } from './workload.ts'

/** Starts a service on the files that a power cut left. @returns the faults found */
export async function checkAfterCut(root: string, marks: readonly Mark[]): Promise<string[]> {
  const places = placesIn(root)
  const wrong: string[] = []
  const attempt = async (what: string, act: () => Promise<string[]>): Promise<void> => {
    const found = await act().catch((error: unknown) => [
      String(error instanceof Error ? (error.stack ?? error) : error),
    ])
    wrong.push(...found.map((text) => `${what}: ${text}`))
  }
  const has = (kind: Mark['kind']): boolean => marks.some((mark) => mark.kind === kind)

  await attempt('start', () => checkService(places.dataDir, marks))
  await attempt('encryption key', async () => {
    const expected = marks.find((mark) => mark.kind === 'key')?.key
    const key = (await keptEncryptionKey(places.dataDir)).toString('base64')
    return expected === undefined || key === expected ? [] : ['it is another one']
  })
  if (has('backed up'))
    await attempt('backup', async () => {
      await checkBackup(places.backup)
      return []
    })
  if (has('restored') || existsSync(places.restored))
    await attempt('restored', () => checkRestored(places.restored, marks))
  return wrong
}

/** Between the two renames of a restore, a start must say what to do, not create an empty database. */
async function checkRestored(dataDir: string, marks: readonly Mark[]): Promise<string[]> {
  try {
    return await checkService(dataDir, marks)
  } catch (error) {
    if (error instanceof Error && error.message.includes('a restore was stopped before its last step'))
      return []
    throw error
  }
}

async function checkService(dataDir: string, marks: readonly Mark[]): Promise<string[]> {
  const database = await openDatabase({ dataDir, databaseUrl: undefined, logger: silentLogger })
  try {
    await migrateDatabase(database)
    const service = await startTestService({ database: { ...database, url: null }, dataDir })
    await service.close()
    const wrong = [...(await wrongItems(database, marks)), ...(await wrongVectors(database))]
    if (!marks.some(({ kind }) => kind === 'phase') || !(await isMoving(database))) return wrong
    await sql`update reembeddings set lease_expires_at = statement_timestamp() - interval '1 hour'
      where lease_expires_at is not null`.execute(database.db)
    await moveModels(database)
    return [...wrong, ...(await wrongVectors(database)).map((text) => `after the move went on: ${text}`)]
  } finally {
    await database.close()
  }
}

/** An item must have the body that was acknowledged last, or that of an unanswered request. */
async function wrongItems({ db }: OpenDatabase, marks: readonly Mark[]): Promise<string[]> {
  const { rows } = await sql<{ id: string; body: string }>`
    select external_id as id, body from source_items`.execute(db)
  const found = new Map(rows.map(({ id, body }) => [id, body]))
  const ended = new Set(marks.flatMap((mark) => (mark.kind === 'end' ? [mark.step] : [])))
  const acknowledged = new Map<string, string | null>()
  const wrong: string[] = []
  const begun: Extract<Mark, { kind: 'begin' }>[] = []
  for (const mark of marks) {
    if (mark.kind !== 'begin') continue
    if (ended.has(mark.step))
      for (const [id, body] of Object.entries(mark.changes)) acknowledged.set(id, body)
    else begun.push(mark)
  }
  const isFound = (id: string, body: string | null): boolean => (found.get(id) ?? null) === body
  for (const { changes, isWhole } of begun) {
    const made = Object.entries(changes).filter(
      ([id, body]) => isFound(id, body) && acknowledged.get(id) !== body,
    )
    const left = Object.entries(changes).filter(([id, body]) => !isFound(id, body))
    if (isWhole && made.length > 0 && left.length > 0)
      wrong.push(`${made.length} of a request's ${made.length + left.length} changes were made`)
    for (const [id, body] of made) acknowledged.set(id, body)
  }
  for (const [id, body] of acknowledged) if (!isFound(id, body)) wrong.push(`${id} is not as acknowledged`)
  for (const id of found.keys()) if (!acknowledged.has(id)) wrong.push(`${id} was never written`)
  return wrong
}

/** Each chunk must have a vector of the answering model, and each item a chunk. */
async function wrongVectors({ db }: OpenDatabase): Promise<string[]> {
  const { rows } = await sql<{ vectors: number; chunks: number; parts: number }>`
    select
      (select count(*)::int from chunks c join organizations o on o.id = c.organization_id
       where not exists (select from chunk_embeddings e where e.organization_id = c.organization_id
         and e.source_item_id = c.source_item_id and e.position = c.position
         and e.embedding_model_id = o.embedding_model_id)) as vectors,
      (select count(*)::int from source_items i where not exists (select from chunks c
         where c.organization_id = i.organization_id and c.source_item_id = i.id)) as chunks,
      (select count(*)::int from ingest_parts) as parts`.execute(db)
  const { vectors = 0, chunks = 0, parts = 0 } = rows[0] ?? {}
  return [
    ...(vectors > 0 ? [`${vectors} chunks have no vector`] : []),
    ...(chunks > 0 ? [`${chunks} items have no chunk`] : []),
    ...(parts > 0 ? [`${parts} parts of ingests are left`] : []),
  ]
}

async function isMoving({ db }: OpenDatabase): Promise<boolean> {
  const { rows } = await sql`select from reembeddings where status = 'running'`.execute(db)
  return rows.length > 0
}
