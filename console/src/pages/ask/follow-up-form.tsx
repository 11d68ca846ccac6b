import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { QUESTION_CHARACTERS_MAX } from './ask-search.ts'

export function FollowUpForm({ onAsk }: { onAsk: (question: string) => void }) {
  const [question, setQuestion] = useState('')
  const asked = question.trim()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (asked !== '') onAsk(asked)
      }}
    >
      <Group gap="sm" align="end" wrap="nowrap">
        <TextInput
          label="Follow-up"
          placeholder="And in Germany?"
          maxLength={QUESTION_CHARACTERS_MAX}
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
          flex={1}
        />
        <Button type="submit" variant="default" disabled={asked === ''}>
          Ask follow-up
        </Button>
      </Group>
    </form>
  )
}
