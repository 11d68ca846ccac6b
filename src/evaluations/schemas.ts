import { z } from 'zod'
import { HITS_MAX, QUERY_CHARACTERS_MAX } from '../kernel/limits.ts'
import {
  count,
  EXAMPLE_ID,
  idOf,
  moment,
  momentOrNull,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { NewTurn, Feedback } from '../threads/index.ts'

export const QUESTIONS_MAX = 1_000
/** The deepest place that the console looks at. */
const RANK_MAX = 25

const EXAMPLE = {
  question: 'How many vacation days do I get?',
  page: 'Vacation policy',
  fact: '25 days',
}
const expected = (description: string, example: string) =>
  z.string().trim().min(1).max(QUERY_CHARACTERS_MAX).nullable().default(null).meta({ description, example })

const PAGE = 'The title, the URL or the ID of the item that answers it.'
const FACT = 'Words that the answer should contain; case, spaces and emphasis are ignored.'

const rank = z.int().min(1).max(RANK_MAX).nullable().meta({
  description: 'The rank of the expected page, or of the first passage with the fact; null: not found.',
  example: 1,
})
const hasFact = z
  .boolean()
  .nullable()
  .meta({ description: 'Whether the answer contains the fact; null: none is expected.', example: true })
const change = z.enum(['better', 'worse', 'same', 'new']).meta({
  description: 'How the result compares with the previous measurement; `new`: there is none.',
  example: 'same',
})

export const NewQuestion = z
  .strictObject({
    question: z
      .string()
      .trim()
      .min(1)
      .max(QUERY_CHARACTERS_MAX)
      .meta({ description: 'The question.', example: EXAMPLE.question }),
    page: expected(PAGE, EXAMPLE.page),
    fact: expected(FACT, EXAMPLE.fact),
  })
  .meta({ id: 'NewEvaluationQuestion', description: 'A question with its expected result.' })
export type NewQuestion = z.output<typeof NewQuestion>

const asked = {
  question: text('The question.', EXAMPLE.question),
  page: textOrNull(PAGE, EXAMPLE.page),
  fact: textOrNull(FACT, EXAMPLE.fact),
}

export const EvaluationQuestion = z
  .object({
    id: shownId("The question's ID.", EXAMPLE_ID.evaluationQuestion),
    ...asked,
    feedback: Feedback.nullable().meta({
      description: 'The feedback on the answer it was added from; null: an admin wrote it.',
      example: null,
    }),
    lastRank: rank,
    lastHasFact: hasFact,
    lastMeasuredAt: momentOrNull('When it was last measured with this page and fact; null: never.'),
  })
  .meta({
    id: 'EvaluationQuestion',
    description: 'A question of the evaluation. Without a page or a fact, it is not measured yet.',
  })
export type EvaluationQuestion = z.output<typeof EvaluationQuestion>

export const EvaluationRun = z
  .object({
    id: shownId("The run's ID.", EXAMPLE_ID.syncRun),
    userId: shownId(
      'The person who started the run, which measures what this person may read.',
      EXAMPLE_ID.user,
    ),
    startedAt: moment('When it was started.'),
    questions: count('Number of questions.', 40),
    measured: count('Number of measured questions; the run is complete when all are measured.', 40),
    hitsAt1: count('Questions whose rank is 1.', 21),
    hitsAt3: count('Questions whose rank is at most 3.', 30),
    hitsAt10: count('Questions whose rank is at most 10.', 36),
    facts: count('Measured questions with a fact.', 12),
    factsInAnswers: count('Questions whose answer contains the fact.', 9),
    better: count('Questions that are better than before.', 3),
    worse: count('Questions that are worse than before.', 1),
  })
  .meta({ id: 'EvaluationRun', description: 'A measurement of all questions that have a page or a fact.' })
export type EvaluationRun = z.output<typeof EvaluationRun>

export const EvaluationResult = z
  .object({
    questionId: shownId("The question's ID.", EXAMPLE_ID.evaluationQuestion),
    ...asked,
    previousRank: rank,
    previousHasFact: hasFact,
    previousMeasuredAt: momentOrNull('When the previous measurement was made; null: there is none.'),
    rank,
    hasFact,
    change: change.nullable().meta({
      description: 'How the result compares with the previous measurement; null: not measured yet.',
      example: 'same',
    }),
    measuredAt: momentOrNull('When it was measured; null: not yet.'),
  })
  .meta({ id: 'EvaluationResult', description: 'A question of a run, as it was when the run started.' })
export type EvaluationResult = z.output<typeof EvaluationResult>

const { answer, citations } = NewTurn.shape

/** The console sends what search and ask answered. */
export const Measurement = z
  .strictObject({
    rank,
    hasFact,
    change,
    answer,
    citations,
    contextItemIds: z
      .array(idOf('An item in `context`.', EXAMPLE_ID.sourceItem))
      .max(HITS_MAX)
      .describe("The items in the answer's `context`, which it may repeat without citing them."),
  })
  .meta({ id: 'EvaluationMeasurement', description: 'The result of one search and one answer.' })
export type Measurement = z.output<typeof Measurement>

export const EvaluationAnswer = z
  .object({
    answer: text('The answer, with its markers.', 'Employees get 25 days a year [1].'),
    citations: z
      .array(
        z.object({
          ...citations.element.shape,
          sourceItemId: shownId('The cited item.', EXAMPLE_ID.sourceItem),
        }),
      )
      .describe("Passages cited by the answer's markers."),
    withheld: z.boolean().meta({
      description:
        'True: an item that the answer is based on was deleted, or you may not read it. `answer` and `citations` are then empty.',
      example: false,
    }),
  })
  .meta({ id: 'EvaluationAnswer', description: 'The answer of a measured question.' })
export type EvaluationAnswer = z.output<typeof EvaluationAnswer>

/** What an answer was made from, as stored. */
export const Content = EvaluationAnswer.pick({ citations: true }).extend({
  contextItemIds: z.array(z.uuid()).default([]),
})

export const runId = idOf("The run's ID.", EXAMPLE_ID.syncRun)
export const questionId = idOf("The question's ID.", EXAMPLE_ID.evaluationQuestion)
