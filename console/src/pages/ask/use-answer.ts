import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { AskStep } from '../../../../client/src/index.ts'
import { type Answer, type AskEvent, askStreaming } from '../../api/ask-stream.ts'
import type { Schemas } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { CONVERSATION_MAX } from './ask-search.ts'
import type { Turn } from './use-threads.ts'

/** Earlier questions with their answers, oldest first. */
export type Conversation = readonly NonNullable<Schemas['AskRequest']['conversation']>[number][]

/** The conversation for a follow-up to this answer. */
export function conversationAfter({ conversation, question, text }: AnswerState): Conversation {
  return [...conversation, { question, answer: text }].slice(-CONVERSATION_MAX)
}

/** A question with its conversation. */
export interface Asked {
  question: string
  conversation: Conversation
  /** The thread to continue; undefined for a new one. */
  thread: string | undefined
  /** Whether the language model searches several times. */
  isThorough: boolean
}

/** A streaming answer: first its passages, then text in pieces, then the complete text. */
export interface AnswerState extends Asked {
  phase: 'reading' | 'writing' | 'whole' | 'stopped' | 'failed'
  /** The steps of a thorough answer so far. */
  steps: readonly AskStep[]
  text: string
  context: Answer['context']
  limitations: Answer['limitations']
  error: ApiError | null
  /** The ID of the ask request, and the stored turn once the answer is complete. */
  requestId: string | null
  saved: { id: string; turn: Turn } | null
  /** Why the answer could not be stored. */
  saveError: ApiError | null
}

const ANSWERS_KEPT = 20

/**
 * Asks one question at a time. Answers stay cached while the page is open, so that Back costs no credit.
 * @param question the question to show; its answer is null until it is asked
 * @param save stores a complete answer
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
