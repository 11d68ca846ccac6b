import { errorOf, invalidAnswer, jsonObject, MemoryConnectionError } from './errors.ts'
import type { Shape } from './operations.ts'
import { readEvents, type ServerSentEvent } from './server-sent-events.ts'
import type { OpenAnswer } from './transport.ts'

type Answer = Shape<'AskResponse'>

/** A step of an answer with `effort: "high"`. */
export type AskStep =
  /** The searches that replace the question. */
  | { step: 'rewrite'; queries: string[] }
  | { step: 'search'; query: string; hitCount: number }
  /** The passages were read: they are enough, or these searches follow. */
  | { step: 'read'; isEnough: boolean; queries: string[] }

/** The events of a streamed answer: with `effort: "high"` any number of `step`s; then one `context`, any number of `delta`s, one `citations`, one `done`. */
export type AskEvent =
  | { type: 'step'; step: AskStep }
  | { type: 'context'; context: Answer['context'] }
  /** The next piece of the answer. */
  | { type: 'delta'; text: string }
  | { type: 'citations'; citations: Answer['citations'] }
  /** The whole answer, as `ask` returns it. With the limitation `answer_truncated`, it ends early. */
  | { type: 'done'; answer: Answer }

/**
 * The events of a streamed answer, until `done`.
 * @throws MemoryError if the service reports a failure or sends an invalid answer
 * @throws MemoryConnectionError if it ends before `done`
 */
export async function* readAskEvents(answer: OpenAnswer): AsyncGenerator<AskEvent> {
  for await (const event of boundedEvents(answer)) {
    const read = toAskEvent(event, answer)
    if (read !== undefined) yield read
    if (read?.type === 'done') return
  }
  throw new MemoryConnectionError('The answer was interrupted; ask again', 'broken')
}

async function* boundedEvents(answer: OpenAnswer): AsyncGenerator<ServerSentEvent> {
  try {
    yield* readEvents(answer.pieces())
  } catch (error) {
    throw error instanceof RangeError ? invalidAnswer(answer, error.message) : error
  }
}

/** Ignores unknown events, which a later version may send. */
function toAskEvent({ event, data }: ServerSentEvent, answer: OpenAnswer): AskEvent | undefined {
  if (event === 'error') throw errorOf({ ...answer, text: data }, Date.now())
  if (!isAskEvent(event)) return undefined
  const fields = jsonObject(data) ?? {}
  const isWhole =
    event === 'delta' || event === 'step'
      ? typeof fields[STRINGS[event]] === 'string'
      : ARRAYS[event].every((name) => Array.isArray(fields[name]))
  if (!isWhole) throw invalidAnswer(answer, 'The service streamed an invalid answer')
  // The fields themselves are trusted, as in every answer.
  if (event === 'step') return { type: event, step: JSON.parse(data) }
  const read: Answer & { text: string } = JSON.parse(data)
  switch (event) {
    case 'context':
      return { type: event, context: read.context }
    case 'delta':
      return { type: event, text: read.text }
    case 'citations':
      return { type: event, citations: read.citations }
    case 'done':
      return { type: event, answer: read }
  }
}

/** The text that an event must have. */
const STRINGS = { delta: 'text', step: 'step' } as const

/** The lists that an event must have. */
const ARRAYS = { context: ['context'], citations: ['citations'], done: ['citations', 'context'] } as const

function isAskEvent(name: string): name is AskEvent['type'] {
  return Object.hasOwn(STRINGS, name) || Object.hasOwn(ARRAYS, name)
}
