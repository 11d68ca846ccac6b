import { randomUUID } from 'node:crypto'
import { type NewAuditEvent, recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { shortLine } from '../text/short-line.ts'
import { newestTurns } from './newest-turns.ts'
import { type FindReadable, shown, withholdUnreadable } from './shown-turn.ts'
import {
  StoredThread,
  type NewTurn,
  type StoredTurn,
  type ThreadSummary,
  type Turn,
  type Feedback,
} from './schemas.ts'
import { THREADS_KEPT_MAX } from '../kernel/retention.ts'

export interface ThreadPage {
  threads: ThreadSummary[]
  nextCursor: string | null
}

/** The caller's threads. Another person's thread answers like a missing one. */
export interface Threads {
  /** The caller's threads, most recently used first. @throws AppError `validation_failed` for a cursor of another list */
  list(caller: ConsoleCaller, query: PageQuery): Promise<ThreadPage>
  /** A thread with its turns, without answers that cite what the viewer may not read. @throws AppError `not_found` */
  get(caller: ConsoleCaller, viewer: Viewer, id: string): Promise<{ thread: ThreadSummary; turns: Turn[] }>
  /** @throws AppError `not_found` for a person who has left meanwhile */
  create(caller: ConsoleCaller, turn: NewTurn): Promise<{ thread: ThreadSummary; turn: Turn }>
  /** @throws AppError `not_found` */
  add(caller: ConsoleCaller, id: string, turn: NewTurn): Promise<{ thread: ThreadSummary; turn: Turn }>
  /** @throws AppError `not_found` */
  rate(
    caller: ConsoleCaller,
    ids: { id: string; turnId: string },
    feedback: Feedback | null,
  ): Promise<{ feedback: Feedback | null }>
  /** @throws AppError `not_found` */
  remove(caller: ConsoleCaller, id: string): Promise<{ thread: ThreadSummary; deletedAt: string }>
  removeAll(caller: ConsoleCaller): Promise<{ deleted: number }>
}

/** A thread without its turns. */
const SUMMARY = ['id', 'title', 'turn_count', 'created_at', 'updated_at'] as const
type SummaryRow = Pick<Row<'threads'>, (typeof SUMMARY)[number]>

const TITLE_CHARACTERS_MAX = 200

/** A person's questions in the console, which only that person can see. */
export function createThreads({
  db,
  clock,
  findReadable,
}: {
  db: Db
  clock: Clock
  findReadable: FindReadable
}): Threads {
  return {
    list: (caller, query) => listThreads(db, caller, query),
    async get(caller, viewer, id) {
      const row = await findThread(db, caller, id)
      return { thread: toSummary(row), turns: await withholdUnreadable(turnsOf(row), viewer, findReadable) }
    },
    create: (caller, turn) => transact(db, (tx) => create(tx, caller, turn, clock.now())),
    add: (caller, id, turn) => transact(db, (tx) => add(tx, caller, { id, turn, at: clock.now() })),
    rate: (caller, ids, feedback) =>
      transact(db, (tx) => rate(tx, caller, { ...ids, feedback, at: clock.now() })),
    remove: (caller, id) => transact(db, (tx) => remove(tx, caller, id, clock.now())),
    removeAll: (caller) => transact(db, (tx) => removeAll(tx, caller, clock.now())),
  }
}

async function create(tx: Tx, caller: ConsoleCaller, given: NewTurn, at: Date) {
  await requireMembership(tx, caller)
  const turn = toTurn(given, at)
  const row = await tx
    .insertInto('threads')
    .values({
      organization_id: caller.organizationId,
      id: randomUUID(),
      user_id: caller.userId,
      title: shortLine(given.question, TITLE_CHARACTERS_MAX),
      content: JSON.stringify({ turns: [turn] }),
      turn_count: 1,
      created_at: at,
      updated_at: at,
    })
    .returning(SUMMARY)
    .executeTakeFirstOrThrow()
  await record(tx, caller, {
    action: 'thread.create',
    id: row.id,
    at,
    metadata: { turnId: turn.id, citationCount: turn.citations.length },
  })
  await dropOldest(tx, caller)
  return { thread: toSummary(row), turn: shown(turn) }
}

/** Locks it: threads are deleted with the membership, so none may follow. @throws AppError `not_found` */
async function requireMembership(tx: Tx, { organizationId, userId }: ConsoleCaller): Promise<void> {
  const membership = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .forKeyShare()
    .executeTakeFirst()
  if (!membership)
    throw new AppError('not_found', 'There is no such workspace; GET /v1/console/me lists yours')
}

async function add(
  tx: Tx,
  caller: ConsoleCaller,
  { id, turn: given, at }: { id: string; turn: NewTurn; at: Date },
) {
  const turns = turnsOf(await lockThread(tx, caller, id))
  const turn = toTurn(given, at)
  const row = await write(tx, caller, { id, turns: newestTurns([...turns, turn]), at })
  await record(tx, caller, {
    action: 'thread.update',
    id,
    at,
    metadata: { turnId: turn.id, citationCount: turn.citations.length },
  })
  return { thread: toSummary(row), turn: shown(turn) }
}

async function rate(
  tx: Tx,
  caller: ConsoleCaller,
  { id, turnId, feedback, at }: { id: string; turnId: string; feedback: Feedback | null; at: Date },
) {
  const before = await lockThread(tx, caller, id)
  const turns = turnsOf(before)
  const turn = turns.find((one) => one.id === turnId)
  if (turn === undefined) throw new AppError('not_found', 'There is no such question in this thread')
  turn.feedback = feedback
  await write(tx, caller, { id, turns, at: before.updated_at })
  const metadata = { turnId, feedback, requestId: turn.requestId }
  await record(tx, caller, { action: 'thread.feedback', id, at, metadata })
  return { feedback }
}

async function remove(tx: Tx, caller: ConsoleCaller, id: string, at: Date) {
  const row = await tx
    .deleteFrom('threads')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .returning(SUMMARY)
    .executeTakeFirst()
  if (!row) throw noSuchThread()
  await record(tx, caller, { action: 'thread.delete', id, at, metadata: { turnCount: row.turn_count } })
  return { thread: toSummary(row), deletedAt: at.toISOString() }
}

async function removeAll(tx: Tx, caller: ConsoleCaller, at: Date) {
  const rows = await tx
    .deleteFrom('threads')
    .where('organization_id', '=', caller.organizationId)
    .where('user_id', '=', caller.userId)
    .returning(['id', 'turn_count'])
    .execute()
  for (const { id, turn_count: turnCount } of rows)
    await record(tx, caller, { action: 'thread.delete', id, at, metadata: { turnCount } })
  return { deleted: rows.length }
}

/** Deletes a person's threads in a workspace when they leave it. */
export async function deleteThreadsOf(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('threads')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}

async function dropOldest(tx: Tx, { organizationId, userId }: ConsoleCaller): Promise<void> {
  const surplus = await tx
    .selectFrom('threads')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .offset(THREADS_KEPT_MAX)
    .execute()
  for (const { id } of surplus)
    await tx
      .deleteFrom('threads')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute()
}

async function listThreads(
  db: Db,
  { organizationId, userId }: ConsoleCaller,
  query: PageQuery,
): Promise<ThreadPage> {
  const threads = db
    .selectFrom('threads')
    .select(SUMMARY)
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
  const list = ['threads', organizationId, userId]
  const { page, nextCursor } = await readPage(threads, list, { at: 'updated_at', id: 'id' }, query)
  return { threads: page.map(toSummary), nextCursor }
}

function selectThread(db: Db, { organizationId, userId }: ConsoleCaller, id: string) {
  return db
    .selectFrom('threads')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('user_id', '=', userId)
}

async function findThread(db: Db, caller: ConsoleCaller, id: string): Promise<Row<'threads'>> {
  const row = await selectThread(db, caller, id).executeTakeFirst()
  if (!row) throw noSuchThread()
  return row
}

async function lockThread(tx: Tx, caller: ConsoleCaller, id: string): Promise<Row<'threads'>> {
  const row = await selectThread(tx, caller, id).forUpdate().executeTakeFirst()
  if (!row) throw noSuchThread()
  return row
}

function noSuchThread(): AppError {
  return new AppError('not_found', 'There is no such thread')
}

async function write(
  tx: Tx,
  { organizationId }: ConsoleCaller,
  { id, turns, at }: { id: string; turns: StoredTurn[]; at: Date },
): Promise<SummaryRow> {
  return await tx
    .updateTable('threads')
    .set({ content: JSON.stringify({ turns }), turn_count: turns.length, updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning(SUMMARY)
    .executeTakeFirstOrThrow()
}

async function record(
  tx: Tx,
  caller: ConsoleCaller,
  { id, ...event }: Pick<NewAuditEvent, 'action' | 'metadata' | 'at'> & { id: string },
): Promise<void> {
  await recordEvent(tx, caller, { ...event, target: ['thread', id], providers: [] })
}

function toTurn({ requestId, ...given }: NewTurn, at: Date): StoredTurn {
  return {
    id: randomUUID(),
    ...given,
    requestId: requestId ?? null,
    feedback: null,
    createdAt: at.toISOString(),
  }
}

function turnsOf({ content }: Row<'threads'>): StoredTurn[] {
  return StoredThread.parse(content).turns
}

function toSummary(row: SummaryRow): ThreadSummary {
  return {
    id: row.id,
    title: row.title,
    turnCount: row.turn_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
