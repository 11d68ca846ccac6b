import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Answer, type AskEvent, askStreaming } from '../../api/ask-stream.ts'
import { ApiError } from '../../api/errors.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'

/** An answer from the question on: what it is made from comes first, then its text piece by piece, then the whole. */
export interface AnswerState {
  question: string
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

  const ask = async (query: string): Promise<void> => {
    stop()
    const own = new AbortController()
    controller.current = own
    let state: AnswerState = {
      question: query,
      phase: 'reading',
      text: '',
      context: [],
      limitations: [],
      error: null,
    }
    put(state)
    try {
      for await (const event of askStreaming(session, organization.id, { query }, own.signal)) {
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
