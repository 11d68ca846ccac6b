import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Answer, type AskEvent, askStreaming } from '../../api/ask-stream.ts'
import type { Schemas } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'

/** A question that was asked before, with its answer. */
export type Turn = NonNullable<Schemas['AskRequest']['conversation']>[number]

/** What the service takes. */
const TURNS_MAX = 10

/** The conversation that a follow-up to an answer continues. */
export function conversationAfter({ conversation, question, text }: AnswerState): Turn[] {
  return [...conversation, { question, answer: text }].slice(-TURNS_MAX)
}

/** An answer from the question on: what it is made from comes first, then its text piece by piece, then the whole. */
export interface AnswerState {
  question: string
  /** The questions and answers before it, oldest first. */
  conversation: readonly Turn[]
  phase: 'reading' | 'writing' | 'whole' | 'stopped' | 'failed'
  text: string
  context: Answer['context']
  limitations: Answer['limitations']
  error: ApiError | null
}

const ANSWERS_KEPT = 20

/**
 * Asks, one question at a time. Answers of this page are kept while it is open, so that going back to one costs nothing.
 * @param question the one that is shown; its answer is null until somebody asked
 */
export function useAnswer(question: string | undefined) {
  const { organization } = useWorkspace()
  const { session } = useConsole()
  const queries = useQueryClient()
  const controller = useRef<AbortController>(null)
  const [answers, setAnswers] = useState<readonly AnswerState[]>([])

  const put = useCallback((answer: AnswerState) => {
    setAnswers((kept) =>
      [answer, ...kept.filter((other) => other.question !== answer.question)].slice(0, ANSWERS_KEPT),
    )
  }, [])
  const stop = useCallback(() => controller.current?.abort(), [])
  useEffect(() => stop, [stop])

  const ask = async (query: string, conversation: readonly Turn[] = []): Promise<void> => {
    stop()
    const own = new AbortController()
    controller.current = own
    let state: AnswerState = {
      question: query,
      conversation,
      phase: 'reading',
      text: '',
      context: [],
      limitations: [],
      error: null,
    }
    put(state)
    try {
      const body = askRequestOf(query, conversation)
      for await (const event of askStreaming(session, organization.id, body, own.signal)) {
        state = afterEvent(state, event)
        put(state)
      }
    } catch (error) {
      if (own.signal.aborted) put({ ...state, phase: 'stopped' })
      else if (error instanceof ApiError) put({ ...state, phase: 'failed', error })
      else throw error
    } finally {
      void queries.invalidateQueries({ queryKey: [organization.id, 'billing'] })
    }
  }

  return { answer: answers.find((answer) => answer.question === question) ?? null, ask, stop }
}

/** The body of a question. */
export function askRequestOf(query: string, conversation: readonly Turn[]): Schemas['AskRequest'] {
  return conversation.length === 0 ? { query } : { query, conversation: [...conversation] }
}

function afterEvent(state: AnswerState, { event, data }: AskEvent): AnswerState {
  switch (event) {
    case 'context':
      return { ...state, context: data.context }
    case 'delta':
      return { ...state, phase: 'writing', text: state.text + data.text }
    case 'citations':
      return state
    case 'done':
      return {
        ...state,
        phase: 'whole',
        text: data.answer,
        context: data.context,
        limitations: data.limitations,
      }
  }
}
