import { Sparkles } from 'lucide-react'
import { SUGGESTED } from '../../data/suggest-questions.ts'
import { useSuggestedQuestions } from '../../data/suggested-questions.ts'
import classes from './suggestions.module.css'

/** Questions that the stored items should answer. A click asks one. */
export function Suggestions({ onChoose }: { onChoose: (question: string) => void }) {
  const questions = useSuggestedQuestions()
  if (questions === null) return <SuggestionsSkeleton />
  if (questions.length === 0) return null
  return (
    <section aria-label="Suggestions">
      <ul className={classes.list}>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" className={classes.question} onClick={() => onChoose(question)}>
              <Sparkles size={15} aria-hidden />
              <span>{question}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Has the height of the questions, so that the page does not shift. */
function SuggestionsSkeleton() {
  return (
    <div className={classes.list} aria-hidden>
      {Array.from({ length: SUGGESTED }, (_, at) => (
        <div key={at} className={classes.question} />
      ))}
    </div>
  )
}
