import { Button, Group, Text } from '@mantine/core'
import { History } from 'lucide-react'
import classes from './recents.module.css'

/** What was asked in this tab, to ask again. */
export function Recents({
  questions,
  onChoose,
  onForget,
}: {
  questions: readonly string[]
  onChoose: (question: string) => void
  onForget: () => void
}) {
  if (questions.length === 0) return null
  return (
    <section aria-label="Recent questions" className={classes.recents}>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Stored in this tab only.
        </Text>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onForget}>
          Clear
        </Button>
      </Group>
      <ul className={classes.list}>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" className={classes.question} onClick={() => onChoose(question)}>
              <History size={15} aria-hidden />
              <span>{question}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
