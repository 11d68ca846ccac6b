import { useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type Question = Schemas['EvaluationQuestion']
export type NewQuestion = Schemas['NewEvaluationQuestion']
export type Run = Schemas['EvaluationRun']
export type Result = Schemas['EvaluationResult']

export interface MeasuredRun {
  run: Run
  results: Result[]
}

/** The query key prefix of all evaluation data. */
export const EVALUATION = 'evaluation'

export function useQuestions() {
  return useRead(
    [EVALUATION, 'questions'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/evaluation/questions', { signal }))).questions,
  )
}

/** Adds questions. For existing ones, replaces the expected result. */
export function usePutQuestions() {
  return useChange(
    (api, questions: readonly NewQuestion[]) =>
      unwrap(api.PUT('/v1/console/evaluation/questions', { body: { questions: [...questions] } })),
    [EVALUATION],
  )
}

/** Deletes one question; all with `null`. */
export function useDeleteQuestions() {
  return useChange(
    (api, id: string | null) =>
      unwrap(
        id === null
          ? api.DELETE('/v1/console/evaluation/questions')
          : api.DELETE('/v1/console/evaluation/questions/{id}', { params: { path: { id } } }),
      ),
    [EVALUATION],
  )
}

/** Newest first. */
export function useRuns() {
  return useRead(
    [EVALUATION, 'runs'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/evaluation/runs', { signal }))).runs,
  )
}

export function useRun(id: string) {
  return useRead([EVALUATION, 'run', id], (api, signal): Promise<MeasuredRun> =>
    unwrap(api.GET('/v1/console/evaluation/runs/{id}', { params: { path: { id } }, signal })),
  )
}

export function useStoredAnswer(runId: string, questionId: string) {
  return useRead([EVALUATION, 'answer', runId, questionId], (api, signal) => {
    const params = { path: { id: runId, questionId } }
    return unwrap(api.GET('/v1/console/evaluation/runs/{id}/results/{questionId}', { params, signal }))
  })
}

export function useDeleteRun(onDeleted: () => void) {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const refetch = useRefetch()
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/evaluation/runs/{id}', { params: { path: { id } } })),
    async (_answer, id) => {
      onDeleted()
      queries.removeQueries({ queryKey: [organization.id, EVALUATION, 'run', id] })
      await refetch(EVALUATION)
    },
  )
}
