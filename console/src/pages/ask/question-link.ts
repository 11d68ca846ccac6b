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

/** Null if the address is too long to open. */
export function shortEnough(address: string): string | null {
  return address.length > ADDRESS_CHARACTERS_MAX ? null : address
}

/** The conversation of a shared follow-up: the earlier questions without answers, which the link does not have. */
export function conversationOfLink({ after = [] }: AskSearch): Conversation {
  return after.map((question) => ({ question, answer: '' }))
}
