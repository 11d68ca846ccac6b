import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
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
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, EVALUATION, 'questions'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/evaluation/questions', { signal }))).questions,
  })
}

/** Adds questions. For existing ones, replaces the expected result. */
export function usePutQuestions() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (questions: readonly NewQuestion[]) =>
      unwrap(api.PUT('/v1/console/evaluation/questions', { body: { questions: [...questions] } })),
    onSuccess: () => refetch(EVALUATION),
  })
}

/** Deletes one question; all with `null`. */
export function useDeleteQuestions() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (id: string | null) =>
      unwrap(
        id === null
          ? api.DELETE('/v1/console/evaluation/questions')
          : api.DELETE('/v1/console/evaluation/questions/{id}', { params: { path: { id } } }),
      ),
    onSuccess: () => refetch(EVALUATION),
  })
}

/** Newest first. */
export function useRuns() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, EVALUATION, 'runs'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/evaluation/runs', { signal }))).runs,
  })
}

export function useRun(id: string) {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, EVALUATION, 'run', id],
    queryFn: ({ signal }): Promise<MeasuredRun> =>
      unwrap(api.GET('/v1/console/evaluation/runs/{id}', { params: { path: { id } }, signal })),
  })
}

export function useStoredAnswer(runId: string, questionId: string) {
  const { api, organization } = useWorkspace()
  const path = { id: runId, questionId }
  return useQuery({
    queryKey: [organization.id, EVALUATION, 'answer', runId, questionId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/console/evaluation/runs/{id}/results/{questionId}', { params: { path }, signal })),
  })
}

export function useDeleteRun(onDeleted: () => void) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/console/evaluation/runs/{id}', { params: { path: { id } } })),
    onSuccess: async (_answer, id) => {
      onDeleted()
      queries.removeQueries({ queryKey: [organization.id, EVALUATION, 'run', id] })
      await refetch(EVALUATION)
    },
  })
}
