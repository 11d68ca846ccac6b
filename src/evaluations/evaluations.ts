import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { FindReadable } from '../threads/index.ts'
import { deleteQuestions, listQuestions, putQuestions, suggestQuestion } from './questions.ts'
import { findAnswer, listResults } from './results.ts'
import { createRun, deleteRun, findRun, listRuns, storeMeasurement } from './runs.ts'
import type { Measurement, NewQuestion } from './schemas.ts'

export type Evaluations = ReturnType<typeof createEvaluations>

/** Questions of a workspace with known answers, and runs that measure them. The console searches and asks. */
export function createEvaluations({
  db,
  clock,
  findReadable,
}: {
  db: Db
  clock: Clock
  findReadable: FindReadable
}) {
  const inTransaction = <T>(act: (tx: Tx, at: Date) => Promise<T>): Promise<T> =>
    transact(db, (tx) => act(tx, clock.now()))
  return {
    questions: (organizationId: string) => listQuestions(db, organizationId),
    put: (caller: ConsoleCaller, questions: readonly NewQuestion[]) =>
      inTransaction((tx, at) => putQuestions(tx, caller, questions, at)),
    suggest: (caller: ConsoleCaller, ids: { id: string; turnId: string }) =>
      inTransaction((tx, at) => suggestQuestion(tx, caller, ids, at)),
    remove: (caller: ConsoleCaller, id: string | null) =>
      inTransaction((tx, at) => deleteQuestions(tx, caller, id, at)),
    runs: (organizationId: string) => listRuns(db, organizationId),
    start: (caller: ConsoleCaller) => inTransaction((tx, at) => createRun(tx, caller, at)),
    async results(organizationId: string, id: string) {
      const run = await findRun(db, organizationId, id)
      return { run, results: await listResults(db, organizationId, id) }
    },
    measure: (caller: ConsoleCaller, ids: { id: string; questionId: string }, measurement: Measurement) =>
      inTransaction((tx, at) => storeMeasurement(tx, caller, ids, measurement, at)),
    answer: (viewer: Viewer, ids: { id: string; questionId: string }) =>
      findAnswer(db, viewer, ids, findReadable),
    removeRun: (caller: ConsoleCaller, id: string) =>
      inTransaction((tx, at) => deleteRun(tx, caller, id, at)),
  }
}
