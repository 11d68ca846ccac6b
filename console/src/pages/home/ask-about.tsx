import { useNavigate } from '@tanstack/react-router'
import { leaveQuestion } from '../../data/pending-question.ts'
import { Suggestions } from '../ask/suggestions.tsx'

/** Questions about what is stored: a click asks them. */
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
