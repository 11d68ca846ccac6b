import { AppError } from '../kernel/errors.ts'
import { runCooperatively } from '../kernel/cooperative.ts'
import { citationsOf } from './citations.ts'
import { unmentionedNames } from '../evidence/index.ts'
import { APPROXIMATE_SEARCH, type Citation, type Limitation, WEAK_EVIDENCE } from '../context/index.ts'
import type { Found } from './found.ts'
import type { AnswersOptions } from './answers-options.ts'
import { isRejection } from '../inference/provider-failure.ts'
import { createFindPassages } from './find-passages.ts'
import type { ConversationQuestion } from './schemas.ts'
import { LimitReached, streamModelAnswer, wholeModelAnswer } from './model-answer.ts'
import type { Step } from './research.ts'
import { type Answer, contextItem, type ContextItem } from './schemas.ts'
import { createSynthesize } from './without-model/synthesize.ts'

/**
 * The events of a streamed answer, in order: `step`s with high effort, one `context`, any number of `delta`s that
 * together are the answer, one `citations`, one `done`. If the model fails after the first delta, `error` ends the
 * stream instead. If a limit is reached after the first delta, the answer ends there with the limitation
 * `answer_truncated`.
 */
export type AnswerEvent =
  | { type: 'step'; step: Step }
  | { type: 'context'; context: ContextItem[] }
  | { type: 'delta'; text: string }
  | { type: 'citations'; citations: Citation[] }
  | { type: 'done'; answer: Answer }
  | { type: 'error'; error: AppError }

export interface Answers<Request extends ConversationQuestion> {
  /** @throws what `retrieve` throws, and the reason of `signal`; never because a model fails */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>
  /** Streams the same answer. {@link AnswerEvent} says how it ends. @throws as `ask` does, until text is sent */
  askStreaming(request: Request, signal?: AbortSignal): AsyncGenerator<AnswerEvent>
}

/** Precedes a synthesis from passages that probably don't answer the question. */
const NOT_ANSWERED = 'Nothing stored answers this directly.'
/** The limitation of a language model's answer that cites no passage. */
const NOTHING_CITED: Limitation = {
  code: 'nothing_cited',
  message: 'The language model cited none of the passages, so nothing stored seems to answer this',
}
const TRUNCATED: Limitation = {
  code: 'answer_truncated',
  message: 'The answer reached its limit and ends early; ask a narrower question for a complete one',
}

/** Answers questions from retrieved hits with the language model, or by synthesis if there is none or it fails. */
export function createAnswers<Request extends ConversationQuestion>(
  options: AnswersOptions<Request>,
): Answers<Request> {
  const synthesize = createSynthesize(options.terms)
  const findPassages = createFindPassages(options)

  async function synthesized(request: Request, found: Found, signal?: AbortSignal): Promise<string> {
    const { query } = request
    const { hits, isWeak, question = query, gains = [] } = found
    const around = (await options.readAround?.(request, hits)) ?? []
    const passages = await runCooperatively(synthesize({ question, hits, around, gains, isWeak }), signal)
    return `${preface(isWeak, unmentionedNames(query, hits, options.terms))}${passages}`
  }

  async function* askStreaming(request: Request, signal?: AbortSignal): AsyncGenerator<AnswerEvent> {
    const { query } = request
    const steps = findPassages(request, signal)
    let next = await steps.next()
    for (; !next.done; next = await steps.next()) yield { type: 'step', step: next.value }
    const found = next.value
    const { hits } = found
    const context = hits.map(contextItem)
    yield { type: 'context', context }
    let answer = ''
    let isTruncated = false
    try {
      for await (const text of hits.length === 0 ? [] : streamModelAnswer(options, request, found, signal)) {
        answer += text
        yield { type: 'delta', text }
      }
    } catch (error) {
      // Sent text costs a credit; otherwise a caller could request a long answer, or read slowly, and pay
      // nothing.
      isTruncated = answer !== '' && (error instanceof LimitReached || signal?.aborted === true)
      if (!isTruncated) signal?.throwIfAborted()
      if (!signal?.aborted) options.onModelFailure(error, request)
      if (answer !== '' && !isTruncated) {
        yield { type: 'error', error: brokenAnswer(error) }
        return
      }
    }
    if (answer === '') {
      answer = hits.length === 0 ? nothingFound(query) : await synthesized(request, found, signal)
      yield { type: 'delta', text: answer }
    }
    const complete = completed(query, answer, found, isTruncated)
    yield { type: 'citations', citations: complete.citations }
    yield { type: 'done', answer: complete }
  }

  return {
    askStreaming,
    async ask(request, signal) {
      const { query } = request
      const found = await resultOf(findPassages(request, signal))
      const { answer, isTruncated } = await completeAnswer(request, found, signal)
      return completed(query, answer, found, isTruncated)
    },
  }

  async function completeAnswer(
    request: Request,
    found: Found,
    signal?: AbortSignal,
  ): Promise<{ answer: string; isTruncated: boolean }> {
    if (found.hits.length === 0) return { answer: nothingFound(request.query), isTruncated: false }
    const { answer, error } = await wholeModelAnswer(options, request, found, signal)
    if (error !== undefined) options.onModelFailure(error, request)
    if (answer === '') return { answer: await synthesized(request, found, signal), isTruncated: false }
    return { answer, isTruncated: error !== undefined }
  }
}

async function resultOf<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const next = await steps.next()
    if (next.done) return next.value
  }
}

/** An answer with its citations, context and limitations. */
function completed(
  question: string,
  answer: string,
  { hits, isWeak, isApproximate }: Found,
  isTruncated = false,
): Answer {
  const citations = citationsOf(answer, hits)
  // The citations may have been in the missing part.
  const isUncited = hits.length > 0 && citations.length === 0 && !isTruncated
  const limitations = isWeak ? [WEAK_EVIDENCE] : isUncited ? [NOTHING_CITED] : []
  if (isApproximate) limitations.push(APPROXIMATE_SEARCH)
  if (isTruncated) limitations.push(TRUNCATED)
  return { question, answer, citations, context: hits.map(contextItem), limitations }
}

/** The text before a synthesis if its passages probably don't answer, or lack a name in the question. */
function preface(isWeak: boolean, names: readonly string[]): string {
  const missing = names.length === 0 ? [] : [`None of the passages read mentions ${names.join(' or ')}.`]
  const said = isWeak ? [NOT_ANSWERED, ...missing] : missing
  return said.length === 0 ? '' : `${said.join(' ')}\n\n`
}

function nothingFound(query: string): string {
  return `I could not find company context for: ${query}`
}

function brokenAnswer(cause: unknown): AppError {
  const isRefused = cause instanceof AppError && isRejection(cause.cause)
  const remedy = isRefused ? 'word the question differently' : 'ask again'
  const message = `The answer was interrupted and not charged; ${remedy}.`
  return new AppError('upstream_error', message, { cause })
}
