import { Button, Group, Textarea } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { QUERY_CHARACTERS_MAX } from '../../../../src/kernel/limits.ts'
import { onEnter, useFocusAtFirst } from './question-field.ts'
import classes from './question-form.module.css'

/** Continues a thread, below its answers. `options` are those of every question. */
export function FollowUpForm({
  isFocused,
  options,
  onAsk,
}: {
  isFocused: boolean
  options: ReactNode
  onAsk: (question: string) => void
}) {
  const [question, setQuestion] = useState('')
  const box = useFocusAtFirst(isFocused)
  const asked = question.trim()
  const ask = (): void => {
    if (asked !== '') onAsk(asked)
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <Group gap="sm" align="end">
        <Textarea
          label="Follow-up"
          placeholder="And in Germany?"
          ref={box}
          autosize
          minRows={1}
          maxRows={10}
          maxLength={QUERY_CHARACTERS_MAX}
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={onEnter(ask)}
          flex="1 1 14rem"
        />
        <Button type="submit" disabled={asked === ''}>
          Ask follow-up
        </Button>
      </Group>
      {options}
    </form>
  )
}
