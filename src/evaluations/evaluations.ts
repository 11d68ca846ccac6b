import type { Db, Tx } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ConsolePrincipal } from '../kernel/principal.ts'
import type { Reader } from '../kernel/reader.ts'
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
  const transact = <T>(act: (tx: Tx, at: Date) => Promise<T>): Promise<T> =>
    retryConflicts(() => db.transaction().execute((tx) => act(tx, clock.now())))
  return {
    questions: (organizationId: string) => listQuestions(db, organizationId),
    put: (caller: ConsolePrincipal, questions: readonly NewQuestion[]) =>
      transact((tx, at) => putQuestions(tx, caller, questions, at)),
    suggest: (caller: ConsolePrincipal, ids: { id: string; turnId: string }) =>
      transact((tx, at) => suggestQuestion(tx, caller, ids, at)),
    remove: (caller: ConsolePrincipal, id: string | null) =>
      transact((tx, at) => deleteQuestions(tx, caller, id, at)),
    runs: (organizationId: string) => listRuns(db, organizationId),
    start: (caller: ConsolePrincipal) => transact((tx, at) => createRun(tx, caller, at)),
    async results(organizationId: string, id: string) {
      const run = await findRun(db, organizationId, id)
      return { run, results: await listResults(db, organizationId, id) }
    },
    measure: (caller: ConsolePrincipal, ids: { id: string; questionId: string }, measurement: Measurement) =>
      transact((tx, at) => storeMeasurement(tx, caller, ids, measurement, at)),
    answer: (reader: Reader, ids: { id: string; questionId: string }) =>
      findAnswer(db, reader, ids, findReadable),
    removeRun: (caller: ConsolePrincipal, id: string) => transact((tx, at) => deleteRun(tx, caller, id, at)),
  }
}
