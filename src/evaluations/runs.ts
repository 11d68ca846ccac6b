import { recordEvent } from '../audit/index.ts'
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { lockOrganization } from '../organizations/index.ts'
import { selectQuestions } from './questions.ts'
import type { EvaluationRun, Measurement } from './schemas.ts'
import { inParts } from '../kernel/in-parts.ts'
import { EVALUATION_RUNS_KEPT_MAX } from '../kernel/retention.ts'

const ROWS_AT_ONCE = 200

/** The runs of a workspace, newest first. */
export async function listRuns(db: Db, organizationId: string): Promise<EvaluationRun[]> {
  return (await selectRuns(db, organizationId).execute()).map(toRun)
}

/** @throws AppError `not_found` */
export async function findRun(db: Db, organizationId: string, id: string): Promise<EvaluationRun> {
  const row = await selectRuns(db, organizationId).where('r.id', '=', id).executeTakeFirst()
  if (!row) throw noSuchRun()
  return toRun(row)
}

/** Starts a run of all questions with a page or a fact. @throws AppError `validation_failed` without any */
export async function createRun(tx: Tx, caller: ConsoleCaller, at: Date): Promise<EvaluationRun> {
  const { organizationId, userId } = caller
  const stored = await selectQuestions(tx, organizationId)
  const questions = stored.filter(({ page, fact }) => page !== null || fact !== null)
  if (questions.length === 0)
    throw validationError([
      { path: 'questions', message: 'questions must include at least one with a page or a fact' },
    ])
  const id = randomUUID()
  await tx
    .insertInto('evaluation_runs')
    .values({ organization_id: organizationId, id, user_id: userId, started_at: at })
    .execute()
  const rows = questions.map((one) => ({
    organization_id: organizationId,
    run_id: id,
    question_id: one.id,
    position: one.position,
    question: one.question,
    page: one.page,
    fact: one.fact,
    previous_rank: one.last_rank,
    previous_has_fact: one.last_has_fact,
    previous_measured_at: one.last_measured_at,
  }))
  for (const some of inParts(rows, ROWS_AT_ONCE))
    await tx.insertInto('evaluation_results').values(some).execute()
  await recordEvent(tx, caller, {
    action: 'evaluation_run.create',
    target: ['evaluation_run', id],
    metadata: { questions: rows.length },
    providers: [],
    at,
  })
  await dropOldest(tx, organizationId)
  return await findRun(tx, organizationId, id)
}

/** Stores a question's result in the run, and with the question to compare. @throws AppError `not_found` */
export async function storeMeasurement(
  tx: Tx,
  caller: ConsoleCaller,
  { id, questionId }: { id: string; questionId: string },
  { rank, hasFact, change, answer, citations, contextItemIds }: Measurement,
  at: Date,
): Promise<EvaluationRun> {
  const { organizationId, userId } = caller
  // Questions are stored with the measurements that were read under this lock.
  await lockOrganization(tx, organizationId)
  const run = await tx
    .selectFrom('evaluation_runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!run) throw noSuchRun()
  const content = JSON.stringify({ citations, contextItemIds })
  const asked = await tx
    .updateTable('evaluation_results')
    .set({ rank, has_fact: hasFact, change, answer, content, measured_at: at })
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', id)
    .where('question_id', '=', questionId)
    .returning(['page', 'fact'])
    .executeTakeFirst()
  if (!asked) throw new AppError('not_found', 'There is no such question in this run')
  await tx
    .updateTable('evaluation_questions')
    .set({ last_rank: rank, last_has_fact: hasFact, last_measured_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', questionId)
    // If the question was changed meanwhile, the measurement does not apply to the new expectation.
    .where('page', 'is not distinct from', asked.page)
    .where('fact', 'is not distinct from', asked.fact)
    .execute()
  await recordEvent(tx, caller, {
    action: 'evaluation_run.update',
    target: ['evaluation_run', id],
    metadata: { questionId, rank, hasFact },
    providers: [],
    at,
  })
  return await findRun(tx, organizationId, id)
}

/** Deletes a run with its answers. @throws AppError `not_found` */
export async function deleteRun(tx: Tx, caller: ConsoleCaller, id: string, at: Date) {
  const run = await findRun(tx, caller.organizationId, id)
  const deleted = await tx
    .deleteFrom('evaluation_runs')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  // Another admin deleted it meanwhile.
  if (!deleted) throw noSuchRun()
  await recordEvent(tx, caller, {
    action: 'evaluation_run.delete',
    target: ['evaluation_run', id],
    metadata: { questions: run.questions, measured: run.measured },
    providers: [],
    at,
  })
  return { run, deletedAt: at.toISOString() }
}

async function dropOldest(tx: Tx, organizationId: string): Promise<void> {
  const surplus = await tx
    .selectFrom('evaluation_runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .offset(EVALUATION_RUNS_KEPT_MAX)
    .execute()
  for (const { id } of surplus)
    await tx
      .deleteFrom('evaluation_runs')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute()
}

function counting(condition: RawBuilder<unknown>) {
  return sql<number>`(count(*) filter (where ${condition}))::int`
}

function selectRuns(db: Db, organizationId: string) {
  return db
    .selectFrom('evaluation_runs as r')
    .innerJoin('evaluation_results as e', (join) =>
      join.onRef('e.organization_id', '=', 'r.organization_id').onRef('e.run_id', '=', 'r.id'),
    )
    .where('r.organization_id', '=', organizationId)
    .groupBy(['r.organization_id', 'r.id'])
    .orderBy('r.started_at', 'desc')
    .orderBy('r.id', 'desc')
    .select([
      'r.id',
      'r.user_id',
      'r.started_at',
      sql<number>`count(*)::int`.as('questions'),
      counting(sql`e.measured_at is not null`).as('measured'),
      counting(sql`e.rank <= 1`).as('hitsAt1'),
      counting(sql`e.rank <= 3`).as('hitsAt3'),
      counting(sql`e.rank <= 10`).as('hitsAt10'),
      counting(sql`e.has_fact is not null`).as('facts'),
      counting(sql`e.has_fact`).as('factsInAnswers'),
      counting(sql`e.change = 'better'`).as('better'),
      counting(sql`e.change = 'worse'`).as('worse'),
    ])
}

function toRun({
  user_id: userId,
  started_at: startedAt,
  ...counts
}: Pick<Row<'evaluation_runs'>, 'user_id' | 'started_at'> &
  Omit<EvaluationRun, 'userId' | 'startedAt'>): EvaluationRun {
  return { ...counts, userId, startedAt: startedAt.toISOString() }
}

function noSuchRun(): AppError {
  return new AppError('not_found', 'There is no such run')
}
