import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Answer, type AskEvent, askStreaming, type AskStep } from '../../api/ask-stream.ts'
import type { Schemas } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import type { Turn } from './use-threads.ts'

/** Questions that were asked before, with their answers, oldest first. */
export type Conversation = readonly NonNullable<Schemas['AskRequest']['conversation']>[number][]

/** As many as the service takes. */
export const CONVERSATION_MAX = 10

/** The conversation that a follow-up to an answer continues. */
export function conversationAfter({ conversation, question, text }: AnswerState): Conversation {
  return [...conversation, { question, answer: text }].slice(-CONVERSATION_MAX)
}

/** A question with what it follows. */
export interface Asked {
  question: string
  conversation: Conversation
  /** The thread that it goes on with; undefined for a new one. */
  thread: string | undefined
  /** Whether the language model searches several times. */
  isThorough: boolean
}

/** An answer from the question on: what it is made from comes first, then its text piece by piece, then the whole. */
export interface AnswerState extends Asked {
  phase: 'reading' | 'writing' | 'whole' | 'stopped' | 'failed'
  /** What a thorough answer did so far. */
  steps: readonly AskStep[]
  text: string
  context: Answer['context']
  limitations: Answer['limitations']
  error: ApiError | null
  /** The request that it came by, and what it was stored as once it is whole. */
  requestId: string | null
  saved: { id: string; turn: Turn } | null
  /** Why it could not be stored. */
  saveError: ApiError | null
}

const ANSWERS_KEPT = 20

/**
 * Asks, one question at a time. Answers of this page are kept while it is open, so that going back to one costs nothing.
 * @param question the one that is shown; its answer is null until somebody asked
 * @param save stores an answer that is complete
 */
export function useAnswer(
  question: string | undefined,
  save: (answer: AnswerState) => Promise<AnswerState['saved']>,
) {
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

  const keep = async (answer: AnswerState): Promise<void> => {
    try {
      put({ ...answer, saved: await save(answer) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      put({ ...answer, saveError: error })
    }
  }
  const ask = async ({ question: query, conversation, thread, isThorough }: Asked): Promise<void> => {
    stop()
    const own = new AbortController()
    controller.current = own
    let state: AnswerState = {
      question: query,
      conversation,
      thread,
      isThorough,
      phase: 'reading',
      steps: [],
      text: '',
      context: [],
      limitations: [],
      error: null,
      requestId: null,
      saved: null,
      saveError: null,
    }
    put(state)
    try {
      const body = askRequestOf(state)
      for await (const event of askStreaming(session, organization.id, body, own.signal)) {
        state = afterEvent(state, event)
        put(state)
      }
      void keep(state)
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
export function askRequestOf({
  question: query,
  conversation,
  isThorough,
}: Omit<Asked, 'thread'>): Schemas['AskRequest'] {
  return {
    query,
    ...(conversation.length === 0 ? {} : { conversation: [...conversation] }),
    ...(isThorough ? { effort: 'high' } : {}),
  }
}

function afterEvent(state: AnswerState, { event, data }: AskEvent): AnswerState {
  switch (event) {
    case 'request':
      return { ...state, requestId: data.requestId }
    case 'step':
      return { ...state, steps: [...state.steps, data] }
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
