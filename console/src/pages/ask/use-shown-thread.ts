import { CONVERSATION_MAX, type AskSearch } from './ask-search.ts'
import { type AnswerState, type Conversation, conversationAfter } from './use-answer.ts'
import { type Turn, useThread } from './use-threads.ts'

/** What the page shows of a thread. */
export interface ShownThread {
  /** The current answer, and the stored questions before and after it. */
  live: AnswerState | null
  before: readonly Turn[]
  after: readonly Turn[]
  /** All stored questions, oldest first. */
  turns: readonly Turn[]
  /** The conversation that a follow-up continues; null while there is none. */
  conversation: Conversation | null
  /** Whether a first question can be asked. */
  isNew: boolean
  isLoading: boolean
  /** True if the thread was deleted or belongs to another person. */
  isMissing: boolean
}

const NO_TURNS: readonly Turn[] = []

export function useShownThread({ thread: id }: AskSearch, answer: AnswerState | null): ShownThread {
  const thread = useThread(id)
  const turns = thread.data?.turns ?? NO_TURNS
  const live = withFeedback(answer, turns)
  const place = live === null ? turns.length : turns.findIndex((turn) => turn.id === live.saved?.turn.id)
  const isLoading = thread.isLoading && live === null
  const conversation = conversationOf(turns, live)
  return {
    live,
    before: place === -1 ? turns : turns.slice(0, place),
    after: place === -1 ? NO_TURNS : turns.slice(place + 1),
    turns,
    conversation,
    isNew: !isLoading && conversation === null && (live === null || hasEndedEarly(live)),
    isLoading,
    isMissing: thread.error?.status === 404,
  }
}

/** The stored thread, or the answer that could not be stored. An answer under way has no follow-up yet. */
function conversationOf(turns: readonly Turn[], live: AnswerState | null): Conversation | null {
  if (live !== null && live.saved === null && !hasEndedEarly(live))
    return live.saveError === null ? null : conversationAfter(live)
  if (turns.length === 0) return null
  return turns
    .filter(({ withheld }) => !withheld)
    .slice(-CONVERSATION_MAX)
    .map(({ question, answer }) => ({ question, answer }))
}

const hasEndedEarly = ({ phase }: AnswerState): boolean => phase === 'stopped' || phase === 'failed'

/** Adds the stored feedback to the current answer. */
function withFeedback(answer: AnswerState | null, turns: readonly Turn[]): AnswerState | null {
  const stored = turns.find(({ id }) => id === answer?.saved?.turn.id)
  return answer?.saved && stored ? { ...answer, saved: { ...answer.saved, turn: stored } } : answer
}
