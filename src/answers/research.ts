import type { LanguageModel, LanguageModelPrompt } from '../inference/language-model.ts'
import { HITS_DEFAULT } from '../kernel/limits.ts'
import { type SpanAttributes, traced, type Tracer } from '../kernel/tracer.ts'
import type { Hit } from '../retrieval/index.ts'
import { abortable } from './abortable.ts'
import type { ConversationQuestion } from './schemas.ts'
import type { AnswerLimits, Found } from './found.ts'
import { newBoundary } from './prompt.ts'
import { queriesIn, readPrompt, rewritePrompt } from './research-prompts.ts'

export type Step =
  | { step: 'rewrite'; queries: string[] }
  | { step: 'search'; query: string; hitCount: number }
  | { step: 'read'; isEnough: boolean; queries: string[] }

export interface ResearchOptions {
  languageModel: LanguageModel
  /** The time limit of all model calls together, in milliseconds. The steps before the answer get half. */
  answerTimeoutMs: number
  /** Runs one search and drops unrelated hits. @throws what a search throws */
  search: (query: string, signal?: AbortSignal) => Promise<Found>
  /** Reports a failure of the model in a step. The answer then uses the hits so far. */
  onModelFailure: (error: unknown) => void
  tracer?: Tracer | undefined
}

/** With one call to rewrite and one to answer, an answer makes at most four calls. */
const READS_MAX = 2
/** Estimated input and output tokens of the steps, and of the answer: 40,000 together. */
const STEP_TOKENS = 20_000
const ANSWER_TOKENS = 20_000
const CHARACTERS_A_TOKEN = 4
/** The part of the answer's tokens that is reserved for everything but passages. */
const ANSWER_RESERVE_TOKENS = 5_000
const OUTPUT_CHARACTERS_MAX = 4_000
/** The constant of reciprocal rank fusion. Reduces the effect of first places. */
const RANK_OFFSET = 10

/** Finds the hits in several searches that the model words and reads. Returns them with the time and tokens left. */
export async function* researching(
  options: ResearchOptions,
  request: ConversationQuestion,
  question: string,
  signal?: AbortSignal,
): AsyncGenerator<Step, Found> {
  const { query: asked, conversation, limit = HITS_DEFAULT } = request
  const startedAt = performance.now()
  const ask = createStepCaller(options, signal)
  const searched: string[] = []
  const results: Found[] = []
  async function* searchFor(queries: readonly string[]): AsyncGenerator<Step> {
    for (const query of queries) {
      searched.push(query)
      const found = await inStep(options, 'ask search', async (set) => {
        const result = await options.search(query, signal)
        set({ 'memory.hits': result.hits.length })
        return result
      })
      results.push(found)
      yield { step: 'search', query, hitCount: found.hits.length }
    }
  }

  const rewritten = await ask('ask rewrite', [question], (boundary) =>
    rewritePrompt({ question: asked, conversation, boundary }),
  )
  const queries = rewritten ?? []
  yield { step: 'rewrite', queries: [question, ...queries] }
  yield* searchFor([question, ...queries])
  for (let read = 1; read <= (rewritten === null ? 0 : READS_MAX); read++) {
    const { hits } = merged(results, limit)
    if (hits.length === 0) break
    const missing = await ask('ask read', searched, (boundary) =>
      readPrompt({ question: asked, conversation, boundary, hits, searched }),
    )
    if (missing === null) break
    yield { step: 'read', isEnough: missing.length === 0, queries: missing }
    if (missing.length === 0) break
    yield* searchFor(missing)
  }
  const found = merged(results, limit)
  return { ...found, question, limits: limitsOf(options, startedAt, found.hits.length) }
}

/** Calls the model within half of the time and the tokens for steps; null if these are used up or the call failed. */
function createStepCaller(options: ResearchOptions, signal?: AbortSignal) {
  const timeout = AbortSignal.timeout(options.answerTimeoutMs / 2)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  let tokens = STEP_TOKENS
  return async (
    name: string,
    searched: readonly string[],
    promptFor: (boundary: string) => LanguageModelPrompt,
  ): Promise<string[] | null> => {
    const prompt = promptFor(newBoundary())
    tokens -= tokensOf(prompt)
    if (tokens < 0 || timeout.aborted) return null
    try {
      return await inStep(options, name, async (set) => {
        const queries = queriesIn(await textOf(options.languageModel, prompt, either), searched)
        set({ 'memory.queries': queries.length })
        return queries
      })
    } catch (error) {
      signal?.throwIfAborted()
      options.onModelFailure(error)
      return null
    }
  }
}

async function textOf(
  model: LanguageModel,
  prompt: LanguageModelPrompt,
  signal: AbortSignal,
): Promise<string> {
  let text = ''
  let usedUp = false
  const limited = { ...prompt, onTokenLimit: () => (usedUp = true) }
  for await (const piece of abortable(model.stream(limited, signal), signal)) {
    text += piece
    if (text.length > OUTPUT_CHARACTERS_MAX) break
  }
  if (usedUp && text.trim() === '')
    throw new Error(`the model used up the ${prompt.maxOutputTokens} tokens of a step before its first word`)
  return text
}

function tokensOf({ instructions, prompt, maxOutputTokens }: LanguageModelPrompt): number {
  return Math.ceil((instructions.length + prompt.length) / CHARACTERS_A_TOKEN) + maxOutputTokens
}

function limitsOf({ answerTimeoutMs }: ResearchOptions, startedAt: number, passages: number): AnswerLimits {
  const characters = (ANSWER_TOKENS - ANSWER_RESERVE_TOKENS) * CHARACTERS_A_TOKEN
  return {
    answerTimeoutMs: Math.max(1, Math.round(answerTimeoutMs - (performance.now() - startedAt))),
    passageCharactersMax: Math.floor(characters / Math.max(1, passages)),
  }
}

/** Merges the hits of several searches without duplicates, by reciprocal rank fusion. */
function merged(results: readonly Found[], limit: number): Found {
  const worth = new Map<string, { hit: Hit; sum: number }>()
  for (const { hits } of results) {
    for (const [place, hit] of hits.entries()) {
      const key = `${hit.sourceItemId} ${hit.content}`
      const sum = (worth.get(key)?.sum ?? 0) + 1 / (RANK_OFFSET + place)
      worth.set(key, { hit: worth.get(key)?.hit ?? hit, sum })
    }
  }
  const best = [...worth.values()].toSorted((a, b) => b.sum - a.sum).slice(0, limit)
  return {
    hits: best.map(({ hit }) => hit),
    isWeak: results.every(({ isWeak }) => isWeak),
    isApproximate: results.some(({ isApproximate }) => isApproximate),
  }
}

async function inStep<Result>(
  { tracer }: ResearchOptions,
  name: string,
  work: (set: (attributes: SpanAttributes) => void) => Promise<Result>,
): Promise<Result> {
  if (tracer === undefined) return await work(() => undefined)
  return await traced(tracer, name, {}, (span) => work((attributes) => span.set(attributes)))
}
