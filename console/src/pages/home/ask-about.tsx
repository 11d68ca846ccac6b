import { useNavigate } from '@tanstack/react-router'
import { leaveQuestion } from '../../data/pending-question.ts'
import { Suggestions } from '../ask/suggestions.tsx'

/** Suggested questions about the stored items. A click asks one. */
export function AskAbout() {
  const navigate = useNavigate()
  return (
    <Suggestions
      onChoose={(question) => {
        leaveQuestion(question)
        void navigate({ to: '/ask' })
      }}
    />
  )
}
