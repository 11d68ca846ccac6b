import { Alert } from '@mantine/core'
import { Database, Sparkles } from 'lucide-react'
import { SUGGESTED } from '../../data/suggest-questions.ts'
import { useSuggestedQuestions } from '../../data/suggested-questions.ts'
import { useOverview } from '../../data/use-overview.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'
import classes from './suggestions.module.css'

/** Questions that the stored items should answer. A click asks one. */
export function Suggestions({ onChoose }: { onChoose: (question: string) => void }) {
  const questions = useSuggestedQuestions()
  if (questions === null) return <SuggestionsSkeleton />
  if (questions.length === 0) return <NothingStored />
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

/** Says why no question can be answered yet. */
function NothingStored() {
  const { organization, isAdmin } = useWorkspace()
  const overview = useOverview()
  if (overview.data?.items !== 0 || !organization.hasPlan) return null
  return (
    <Alert icon={<Database size={18} aria-hidden />} title="Nothing is stored yet" role="status">
      Answers come from the stored items.{' '}
      {isAdmin ? (
        <TextLink to="/sources/new" inherit underline="always">
          Add a source
        </TextLink>
      ) : (
        'Ask an admin of the workspace to add a source.'
      )}
    </Alert>
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
