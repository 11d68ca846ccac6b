import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import { count, EXAMPLE_ID, idOf, moment, onBehalfOfQuery } from '../kernel/schemas.ts'
import type { Evaluations } from './evaluations.ts'
import {
  EvaluationAnswer,
  EvaluationQuestion,
  EvaluationResult,
  EvaluationRun,
  Measurement,
  NewQuestion,
  questionId,
  QUESTIONS_MAX,
  runId,
} from './schemas.ts'
import { EVALUATION_RUNS_KEPT_MAX } from '../kernel/retention.ts'

export interface EvaluationServices {
  evaluations: Evaluations
}

const shared = {
  tag: 'Evaluation (console)',
  access: { surface: 'console', role: 'admin', action: 'admin' },
} as const

const define = defineRoute<EvaluationServices>()
const BODY_BYTES_MAX = 2 * 1024 * 1024
const deleted = { 200: z.object({ deleted: count('Number of deleted questions.', 1) }) }
const measured = z.object({ id: runId, questionId })

const questionRoutes = [
  define({
    ...shared,
    operationId: 'consoleListEvaluationQuestions',
    method: 'GET',
    path: '/v1/console/evaluation/questions',
    summary: 'List the questions of the evaluation, in the order in which they were added',
    audit: 'none',
    responses: { 200: z.object({ questions: z.array(EvaluationQuestion).describe('All questions.') }) },
    handle: async ({ caller: { organizationId } }, { evaluations }) =>
      reply(200, { questions: await evaluations.questions(organizationId) }),
  }),
  define({
    ...shared,
    operationId: 'consolePutEvaluationQuestions',
    method: 'PUT',
    path: '/v1/console/evaluation/questions',
    summary: 'Add questions, or replace the page and the fact of existing ones',
    description: `A workspace has at most ${QUESTIONS_MAX.toLocaleString('en')} questions with 1,048,576 characters in all.`,
    audit: 'evaluation_question.update',
    bodyBytesMax: BODY_BYTES_MAX,
    body: z
      .strictObject({
        questions: z.array(NewQuestion).min(1).max(QUESTIONS_MAX).describe('The questions.'),
      })
      .meta({ id: 'NewEvaluationQuestions', description: 'Questions with their expected results.' }),
    responses: {
      200: z.object({
        added: count('Number of new questions.', 1),
        replaced: count('Number of questions that already existed.', 0),
      }),
    },
    handle: async ({ caller, body }, { evaluations }) =>
      reply(200, await evaluations.put(caller, body.questions)),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteEvaluationQuestions',
    method: 'DELETE',
    path: '/v1/console/evaluation/questions',
    summary: 'Delete all questions of the evaluation',
    description: 'Runs keep their questions and answers.',
    audit: 'evaluation_question.delete',
    responses: deleted,
    handle: async ({ caller }, { evaluations }) => reply(200, await evaluations.remove(caller, null)),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteEvaluationQuestion',
    method: 'DELETE',
    path: '/v1/console/evaluation/questions/{id}',
    summary: 'Delete a question of the evaluation',
    audit: 'evaluation_question.delete',
    params: z.object({ id: questionId }),
    responses: deleted,
    handle: async ({ caller, params }, { evaluations }) =>
      reply(200, await evaluations.remove(caller, params.id)),
  }),
  define({
    ...shared,
    access: { ...shared.access, role: 'member' },
    operationId: 'consoleSuggestEvaluationQuestion',
    method: 'POST',
    path: '/v1/console/threads/{id}/turns/{turnId}/evaluation',
    summary: 'Add a question that you have rated to the evaluation',
    description:
      'Admins then see the question and the rating, and nothing else of the thread. The first item that a useful answer cites becomes the expected page; a question whose answer is wrong or lacks a source waits for an admin.',
    audit: 'evaluation_question.suggest',
    params: z.object({
      id: idOf("The thread's ID.", EXAMPLE_ID.thread),
      turnId: idOf("The turn's ID.", EXAMPLE_ID.turn),
    }),
    responses: { 201: z.object({ suggestedAt: moment('When it was added.') }) },
    handle: async ({ caller, params }, { evaluations }) =>
      reply(201, await evaluations.suggest(caller, params)),
  }),
] as const

const runRoutes = [
  define({
    ...shared,
    operationId: 'consoleListEvaluationRuns',
    method: 'GET',
    path: '/v1/console/evaluation/runs',
    summary: 'List the runs of the evaluation, newest first',
    audit: 'none',
    responses: { 200: z.object({ runs: z.array(EvaluationRun).describe('All runs.') }) },
    handle: async ({ caller: { organizationId } }, { evaluations }) =>
      reply(200, { runs: await evaluations.runs(organizationId) }),
  }),
  define({
    ...shared,
    operationId: 'consoleStartEvaluationRun',
    method: 'POST',
    path: '/v1/console/evaluation/runs',
    summary: 'Start a run of all questions that have a page or a fact',
    description: `The caller searches and asks (1 credit each) and stores each question's result. A workspace keeps the last ${EVALUATION_RUNS_KEPT_MAX} runs.`,
    audit: 'evaluation_run.create',
    responses: { 201: z.object({ run: EvaluationRun }) },
    handle: async ({ caller }, { evaluations }) => reply(201, { run: await evaluations.start(caller) }),
  }),
  define({
    ...shared,
    operationId: 'consoleGetEvaluationRun',
    method: 'GET',
    path: '/v1/console/evaluation/runs/{id}',
    summary: 'Get a run with the ranks of its questions',
    audit: 'none',
    params: z.object({ id: runId }),
    responses: {
      200: z.object({
        run: EvaluationRun,
        results: z.array(EvaluationResult).describe('The questions, in order.'),
      }),
    },
    handle: async ({ caller: { organizationId }, params }, { evaluations }) =>
      reply(200, await evaluations.results(organizationId, params.id)),
  }),
  define({
    ...shared,
    operationId: 'consoleDeleteEvaluationRun',
    method: 'DELETE',
    path: '/v1/console/evaluation/runs/{id}',
    summary: 'Delete a run with its answers',
    audit: 'evaluation_run.delete',
    params: z.object({ id: runId }),
    responses: { 200: z.object({ run: EvaluationRun, deletedAt: moment('When it was deleted.') }) },
    handle: async ({ caller, params }, { evaluations }) =>
      reply(200, await evaluations.removeRun(caller, params.id)),
  }),
  define({
    ...shared,
    operationId: 'consoleGetEvaluationAnswer',
    method: 'GET',
    path: '/v1/console/evaluation/runs/{id}/results/{questionId}',
    summary: 'Get the answer to a question of a run',
    description:
      'The answer is `withheld` if an item that it is based on was deleted, or if you may not read that item.',
    audit: 'none',
    params: measured,
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    onBehalfOf: 'query',
    refuses: PERSON_REFUSALS,
    responses: { 200: EvaluationAnswer },
    handle: async ({ viewer, params }, { evaluations }) =>
      reply(200, await evaluations.answer(requireViewer(viewer), params)),
  }),
  define({
    ...shared,
    operationId: 'consolePutEvaluationResult',
    method: 'PUT',
    path: '/v1/console/evaluation/runs/{id}/results/{questionId}',
    summary: 'Store the result of a question of your run',
    description:
      'Only the person who started a run can continue it, because it measures what this person may read.',
    audit: 'evaluation_run.update',
    bodyBytesMax: BODY_BYTES_MAX,
    params: measured,
    body: Measurement,
    responses: { 200: z.object({ run: EvaluationRun }) },
    handle: async ({ caller, params, body }, { evaluations }) =>
      reply(200, { run: await evaluations.measure(caller, params, body) }),
  }),
] as const

export const evaluationRoutes = [...questionRoutes, ...runRoutes]
