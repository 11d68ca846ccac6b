import { recordEvent } from '../audit/index.ts'
import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import type { NewRow, Row } from '../database/schema.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { lockOrganization } from '../organizations/index.ts'
import { findTurn } from '../threads/index.ts'
import { type EvaluationQuestion, type NewQuestion, QUESTIONS_MAX } from './schemas.ts'
import { inParts } from '../kernel/in-parts.ts'

type Stored = Row<'evaluation_questions'>
type Feedback = Stored['feedback']
/** A question to store; without a rating, an earlier one stays. */
type Wanted = NewQuestion & { feedback?: Feedback }

/** All questions of a workspace together, as in a file for the command line. */
const CHARACTERS_MAX = 1_048_576
const ROWS_AT_ONCE = 200

/** The questions in the order in which they were added. */
export async function listQuestions(db: Db, organizationId: string): Promise<EvaluationQuestion[]> {
  return (await selectQuestions(db, organizationId)).map(toQuestion)
}

/** Adds questions, or replaces their expected results. @throws AppError `validation_failed` over the limit */
export async function putQuestions(
  tx: Tx,
  caller: ConsoleCaller,
  given: readonly NewQuestion[],
  at: Date,
): Promise<{ added: number; replaced: number }> {
  await lockOrganization(tx, caller.organizationId)
  const counts = await write(tx, caller.organizationId, given, at)
  await recordEvent(tx, caller, {
    action: 'evaluation_question.update',
    target: ['organization', caller.organizationId],
    metadata: counts,
    providers: [],
    at,
  })
  return counts
}

/** Adds a rated question with its first cited item. @throws AppError `not_found`, `validation_failed` */
export async function suggestQuestion(
  tx: Tx,
  caller: ConsoleCaller,
  ids: { id: string; turnId: string },
  at: Date,
): Promise<{ suggestedAt: string }> {
  const { question, feedback, citations } = await findTurn(tx, caller, ids)
  if (feedback === null)
    throw validationError([{ path: 'turnId', message: 'turnId must name an answer that you have rated' }])
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  const before = (await selectQuestions(tx, organizationId)).find((one) => one.question === question)
  const isExpecting = before !== undefined && (before.page !== null || before.fact !== null)
  const cited = feedback === 'useful' ? (citations[0]?.sourceItemId ?? null) : null
  const wanted = isExpecting ? { page: before.page, fact: before.fact } : { page: cited, fact: null }
  await write(tx, organizationId, [{ question, feedback, ...wanted }], at)
  await recordEvent(tx, caller, {
    action: 'evaluation_question.suggest',
    target: ['thread', ids.id],
    metadata: { turnId: ids.turnId, feedback },
    providers: [],
    at,
  })
  return { suggestedAt: at.toISOString() }
}

/** Deletes one question, or all of them (null). Runs keep theirs. @throws AppError `not_found` */
export async function deleteQuestions(
  tx: Tx,
  caller: ConsoleCaller,
  id: string | null,
  at: Date,
): Promise<{ deleted: number }> {
  const { organizationId } = caller
  let rows = tx.deleteFrom('evaluation_questions').where('organization_id', '=', organizationId)
  if (id !== null) rows = rows.where('id', '=', id)
  const { numDeletedRows } = await rows.executeTakeFirstOrThrow()
  const deleted = Number(numDeletedRows)
  if (id !== null && deleted === 0) throw new AppError('not_found', 'There is no such question')
  await recordEvent(tx, caller, {
    action: 'evaluation_question.delete',
    target: id === null ? ['organization', organizationId] : ['evaluation_question', id],
    metadata: { deleted },
    providers: [],
    at,
  })
  return { deleted }
}

export async function selectQuestions(db: Db, organizationId: string): Promise<Stored[]> {
  return await db
    .selectFrom('evaluation_questions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .execute()
}

/** Under the organization's lock, so that no question is stored twice. */
async function write(
  tx: Tx,
  organizationId: string,
  given: readonly Wanted[],
  at: Date,
): Promise<{ added: number; replaced: number }> {
  const rows = await selectQuestions(tx, organizationId)
  const before = new Map(rows.map((row) => [row.question, row]))
  const wanted = new Map(given.map((one) => [one.question, one]))
  requireRoom([...new Map<string, NewQuestion>([...before, ...wanted]).values()])
  const added = [...wanted.values()].filter(({ question }) => !before.has(question))
  const replaced = [...wanted.values()].flatMap((one) => {
    const row = before.get(one.question)
    return row === undefined ? [] : [{ ...row, ...changeOf(row, one), updated_at: at }]
  })
  const next = (rows.at(-1)?.position ?? 0) + 1
  await store(tx, [...replaced, ...added.map((one, index) => toRow(one, organizationId, next + index, at))])
  return { added: added.length, replaced: replaced.length }
}

/** @throws AppError `validation_failed` */
function requireRoom(questions: readonly NewQuestion[]): void {
  const path = 'questions'
  if (questions.length > QUESTIONS_MAX)
    throw validationError([
      {
        path,
        message: `questions must have at most ${QUESTIONS_MAX} entries, including stored ones; delete some`,
      },
    ])
  const characters = questions.reduce(
    (sum, { question, page, fact }) => sum + question.length + (page?.length ?? 0) + (fact?.length ?? 0),
    0,
  )
  if (characters > CHARACTERS_MAX)
    throw validationError([
      { path, message: 'questions must have at most 1,048,576 characters, including stored ones' },
    ])
}

/** An earlier measurement does not apply to another page or fact. */
function changeOf(row: Stored, { page, fact, feedback = row.feedback }: Wanted): Partial<Stored> {
  const isSame = row.page === page && row.fact === fact
  const reset = isSame ? {} : { last_rank: null, last_has_fact: null, last_measured_at: null }
  return { page, fact, feedback, ...reset }
}

function toRow(
  { question, page, fact, feedback = null }: Wanted,
  organizationId: string,
  position: number,
  at: Date,
): NewRow<'evaluation_questions'> {
  return {
    organization_id: organizationId,
    id: randomUUID(),
    position,
    question,
    page,
    fact,
    feedback,
    created_at: at,
    updated_at: at,
  }
}

async function store(tx: Tx, rows: readonly NewRow<'evaluation_questions'>[]): Promise<void> {
  for (const some of inParts(rows, ROWS_AT_ONCE))
    await tx
      .insertInto('evaluation_questions')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'id']).doUpdateSet((row) => ({
          page: row.ref('excluded.page'),
          fact: row.ref('excluded.fact'),
          feedback: row.ref('excluded.feedback'),
          last_rank: row.ref('excluded.last_rank'),
          last_has_fact: row.ref('excluded.last_has_fact'),
          last_measured_at: row.ref('excluded.last_measured_at'),
          updated_at: row.ref('excluded.updated_at'),
        })),
      )
      .execute()
}

function toQuestion(row: Stored): EvaluationQuestion {
  return {
    id: row.id,
    question: row.question,
    page: row.page,
    fact: row.fact,
    feedback: row.feedback,
    lastRank: row.last_rank,
    lastHasFact: row.last_has_fact,
    lastMeasuredAt: row.last_measured_at?.toISOString() ?? null,
  }
}
