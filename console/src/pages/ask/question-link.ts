import { type AskSearch, CONVERSATION_MAX } from './ask-search.ts'
import type { Conversation } from './use-answer.ts'

/** Proxies commonly refuse longer request lines. */
const ADDRESS_CHARACTERS_MAX = 8_000

export interface Shared {
  question: string
  /** The questions that a follow-up refers to, oldest first. */
  earlier: readonly string[]
  isThorough?: boolean
}

/** The search parameters of a link to a question. It has no answer: the person who opens it may read other items. */
export function linkSearch(workspace: string, { question, earlier, isThorough = false }: Shared): AskSearch {
  return {
    q: question,
    workspace,
    ...(earlier.length === 0 ? {} : { after: earlier.slice(-CONVERSATION_MAX) }),
    ...(isThorough ? { effort: 'high' } : {}),
  }
}

/** A citation of a stored answer: its thread, its question, and the number of its passage. */
interface StoredCitation {
  thread: string
  turn: { id: string; question: string }
  earlier: readonly string[]
  at: number | undefined
  mention: number | undefined
}

/**
 * The search parameters of a link to a document, and to the citation that is open in it. The author of the answer sees
 * the answer and the cited sentence again; colleagues see the document if they may read it, and can ask the question.
 */
export function citationLink(
  workspace: string,
  item: string | undefined,
  citation: StoredCitation | null,
): AskSearch {
  const document = item === undefined ? {} : { item }
  if (citation === null) return { workspace, ...document }
  const { thread, turn, earlier, at, mention } = citation
  return {
    ...linkSearch(workspace, { question: turn.question, earlier }),
    ...document,
    thread,
    turn: turn.id,
    ...(at === undefined ? {} : { at }),
    ...(mention === undefined ? {} : { mention }),
  }
}

/** Null if the address is too long to open. */
export function shortEnough(address: string): string | null {
  return address.length > ADDRESS_CHARACTERS_MAX ? null : address
}

/** The conversation of a shared follow-up: the earlier questions without answers, which the link does not have. */
export function conversationOfLink({ after = [] }: AskSearch): Conversation {
  return after.map((question) => ({ question, answer: '' }))
}
