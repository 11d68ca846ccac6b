import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { PageField } from './page-field.tsx'
import { type Question, usePutQuestions } from './use-evaluation.ts'

const CHARACTERS_MAX = 8_192

/** Adds a question, or changes its expected result. */
export function QuestionDialog({ question, onClose }: { question: Question | null; onClose: () => void }) {
  const put = usePutQuestions()
  const [text, setText] = useState(question?.question ?? '')
  const [page, setPage] = useState(question?.page ?? '')
  const [fact, setFact] = useState(question?.fact ?? '')
  const expected = { page: page.trim() || null, fact: fact.trim() || null }
  const isWhole = text.trim() !== '' && (expected.page !== null || expected.fact !== null)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    put.mutate([{ question: text.trim(), ...expected }], { onSuccess: onClose })
  }
  return (
    <Modal opened onClose={onClose} size="lg" title={question ? 'Edit the question' : 'Add a question'}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label="Question"
            placeholder="How many vacation days do I get?"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={CHARACTERS_MAX}
            autosize
            minRows={2}
            required
            // The text identifies the question, so it cannot change.
            readOnly={question !== null}
            data-autofocus={question === null || undefined}
          />
          <PageField
            value={page}
            isFocused={question !== null}
            maxLength={CHARACTERS_MAX}
            onChange={setPage}
          />
          <TextInput
            label="Fact"
            description="Words that the answer should contain. Case and spaces don’t count."
            value={fact}
            onChange={(event) => setFact(event.currentTarget.value)}
            maxLength={CHARACTERS_MAX}
          />
          {put.error && <ErrorNotice error={put.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={put.isPending} disabled={!isWhole}>
              {question ? 'Save' : 'Add question'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
