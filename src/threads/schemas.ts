import { z } from 'zod'
import { URL_CHARACTERS_MAX } from '../items/index.ts'
import { ANSWER_CHARACTERS_MAX, QUERY_CHARACTERS_MAX } from '../kernel/limits.ts'
import { count, EXAMPLE_ID, givenId, idOf, moment, shownId, text } from '../kernel/schemas.ts'

/** Feedback values. */
export const FEEDBACK_VALUES = ['useful', 'wrong', 'missing_source'] as const
export const Feedback = z.enum(FEEDBACK_VALUES)
export type Feedback = z.infer<typeof Feedback>

const CITATIONS_MAX = 25

const question = z
  .string()
  .trim()
  .min(1)
  .max(QUERY_CHARACTERS_MAX)
  .meta({ description: 'The question as it was asked.', example: 'How many vacation days do I get?' })
const answer = z
  .string()
  .max(ANSWER_CHARACTERS_MAX)
  .meta({ description: 'The answer, with its markers.', example: 'Employees get 25 days a year [1].' })
const title = z.string().max(1_000).meta({ description: "The item's title.", example: 'Vacation policy' })

const citation = {
  index: z
    .int()
    .min(1)
    .max(CITATIONS_MAX)
    .meta({ description: 'The number N of its marker `[N]`.', example: 1 }),
  title,
  url: z
    .string()
    .max(URL_CHARACTERS_MAX)
    .optional()
    .meta({ description: 'The link to the original.', example: 'https://wiki.example.com/vacation' }),
}

/** The body of a new turn. The console sends the response of `ask`. */
export const NewTurn = z
  .strictObject({
    question,
    answer,
    citations: z
      .array(
        z.strictObject({
          ...citation,
          sourceItemId: idOf('The cited item.', EXAMPLE_ID.sourceItem),
        }),
      )
      .max(CITATIONS_MAX)
      .describe("Passages cited by the answer's markers."),
    requestId: givenId.optional().meta({
      description: 'The `X-Request-Id` of the answer. It links feedback to the audit trail.',
      example: EXAMPLE_ID.request,
    }),
  })
  .meta({ id: 'NewTurn', description: 'A question and its answer.' })
export type NewTurn = z.output<typeof NewTurn>

const StoredTurn = z.object({
  id: shownId("The turn's ID.", EXAMPLE_ID.turn),
  question,
  answer,
  citations: z
    .array(
      z.object({
        ...citation,
        sourceItemId: shownId('The cited item.', EXAMPLE_ID.sourceItem),
      }),
    )
    .describe("Passages cited by the answer's markers."),
  requestId: z
    .uuid()
    .nullable()
    .meta({ description: 'The `X-Request-Id` of the answer.', example: EXAMPLE_ID.request }),
  feedback: Feedback.nullable().meta({
    description: "The person's feedback on the answer; null: none.",
    example: 'useful',
  }),
  createdAt: moment('When it was stored.'),
})
export type StoredTurn = z.output<typeof StoredTurn>

export const Turn = StoredTurn.extend({
  withheld: z.boolean().meta({
    description:
      'True: an item that the answer cites was deleted, or the person may no longer read it. `answer` and `citations` are then empty.',
    example: false,
  }),
}).meta({ id: 'Turn', description: 'A question of a thread, with its answer.' })
export type Turn = z.output<typeof Turn>

export const ThreadSummary = z
  .object({
    id: shownId("The thread's ID.", EXAMPLE_ID.thread),
    title: text("The thread's first question.", 'How many vacation days do I get?'),
    turnCount: count('Number of questions.', 2),
    createdAt: moment('When it was created.'),
    updatedAt: moment('When its last question was stored.'),
  })
  .meta({ id: 'ThreadSummary', description: 'A thread without its turns.' })
export type ThreadSummary = z.output<typeof ThreadSummary>

/** The stored form of a thread. */
export const StoredThread = z.object({ turns: z.array(StoredTurn) })
