import type { LanguageModel } from '../inference/language-model.ts'
import { ANSWER_CHARACTERS_MAX } from '../kernel/limits.ts'
import { abortable } from './abortable.ts'
import type { MarkerFilter } from './citations.ts'
import { createModelMarkerFilter } from './model-markers.ts'
import type { ConversationQuestion } from './schemas.ts'
import type { Found } from './found.ts'
import { buildPrompt, newBoundary } from './prompt.ts'

export interface ModelAnswerOptions {
  /** null: every answer is a synthesis. */
  languageModel: LanguageModel | null
  /** The time limit of the language model's whole answer, in milliseconds. */
  answerTimeoutMs: number
}

const OUTPUT_TOKENS_MAX = 2_000

/** Thrown when a time or length limit ends the answer. The text so far is valid. */
export class LimitReached extends Error {}

/** The limit was the model's tokens. */
class TokensUsedUp extends LimitReached {}

/** Streams the model's answer with normalized markers; empty without one. @throws LimitReached, the model's errors */
export async function* streamModelAnswer(
  options: ModelAnswerOptions,
  { query, conversation }: ConversationQuestion,
  { hits, isWeak, limits }: Pick<Found, 'hits' | 'isWeak' | 'limits'>,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const { languageModel } = options
  const answerTimeoutMs = limits?.answerTimeoutMs ?? options.answerTimeoutMs
  if (languageModel === null) return
  const timeout = AbortSignal.timeout(answerTimeoutMs)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  let usedUp = false
  const prompt = {
    ...buildPrompt({
      question: query,
      conversation,
      hits,
      isWeak,
      boundary: newBoundary(),
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      passageCharactersMax: limits?.passageCharactersMax,
    }),
    onTokenLimit: () => {
      usedUp = true
    },
  }
  const filter = createModelMarkerFilter(hits.length)
  try {
    yield* visibleDeltas(abortable(languageModel.stream(prompt, either), either), filter)
  } catch (error) {
    if (!timeout.aborted) throw error
    throw new LimitReached(`timeout: no complete answer within ${answerTimeoutMs} ms`, { cause: error })
  }
  if (usedUp) throw new TokensUsedUp(`the model used up the ${OUTPUT_TOKENS_MAX} tokens of an answer`)
}

/** The same as one text; empty if the model fails or takes too long. `error` says what ended it early. */
export async function wholeModelAnswer(
  ...[options, question, found, signal]: Parameters<typeof streamModelAnswer>
): Promise<{ answer: string; error?: unknown }> {
  let answer = ''
  try {
    for await (const text of streamModelAnswer(options, question, found, signal)) answer += text
    return { answer }
  } catch (error) {
    signal?.throwIfAborted()
    return { answer: error instanceof TokensUsedUp ? answer : '', error }
  }
}

/** Filters the text and drops leading blanks, so that blanks and markers alone are no answer. @throws LimitReached */
async function* visibleDeltas(pieces: AsyncIterable<string>, filter: MarkerFilter): AsyncGenerator<string> {
  let begun = false
  const visible = (text: string): string => {
    const shown = begun ? text : text.trimStart()
    begun ||= shown !== ''
    return shown
  }
  let characters = 0
  for await (const piece of pieces) {
    characters += piece.length
    // A model may ignore its token limit.
    if (characters > ANSWER_CHARACTERS_MAX)
      throw new LimitReached(`the model did not end its answer within ${ANSWER_CHARACTERS_MAX} characters`)
    const text = visible(filter.push(piece))
    if (text !== '') yield text
  }
  const rest = visible(filter.end()).trimEnd()
  if (rest !== '') yield rest
}
