import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { AppError } from '../kernel/errors.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { type FindReadable, withholdUnreadable } from '../threads/index.ts'
import { Content, type EvaluationAnswer, type EvaluationResult } from './schemas.ts'

/** The questions of a run in their order, without answers; none if there is no such run. */
export async function listResults(
  db: Db,
  organizationId: string,
  runId: string,
): Promise<EvaluationResult[]> {
  const rows = await db
    .selectFrom('evaluation_results')
    .select([
      'question_id',
      'question',
      'page',
      'fact',
      'previous_rank',
      'previous_has_fact',
      'previous_measured_at',
      'rank',
      'has_fact',
      'change',
      'measured_at',
    ])
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute()
  return rows.map(toResult)
}

/** The answer of a measured question. It is withheld if the viewer may not read all that it was made from. @throws AppError `not_found` */
export async function findAnswer(
  db: Db,
  viewer: Viewer,
  { id, questionId }: { id: string; questionId: string },
  findReadable: FindReadable,
): Promise<EvaluationAnswer> {
  const row = await db
    .selectFrom('evaluation_results')
    .select(['answer', 'content'])
    .where('organization_id', '=', viewer.organizationId)
    .where('run_id', '=', id)
    .where('question_id', '=', questionId)
    .where('measured_at', 'is not', null)
    .executeTakeFirst()
  const stored = row && { answer: row.answer ?? '', ...Content.parse(row.content) }
  const [shown] = await withholdUnreadable(stored ? [stored] : [], viewer, findReadable)
  if (shown === undefined) throw new AppError('not_found', 'This run has no answer to that question')
  return shown
}

function toResult(
  row: Omit<Row<'evaluation_results'>, 'organization_id' | 'run_id' | 'position' | 'answer' | 'content'>,
): EvaluationResult {
  return {
    questionId: row.question_id,
    question: row.question,
    page: row.page,
    fact: row.fact,
    previousRank: row.previous_rank,
    previousHasFact: row.previous_has_fact,
    previousMeasuredAt: row.previous_measured_at?.toISOString() ?? null,
    rank: row.rank,
    hasFact: row.has_fact,
    change: row.change,
    measuredAt: row.measured_at?.toISOString() ?? null,
  }
}
