import { Modal, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { QUERY_CHARACTERS_MAX } from '../../../../src/kernel/limits.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { PageField } from './page-field.tsx'
import { type Question, usePutQuestions } from './use-evaluation.ts'

/** Adds a question, or changes its expected result. */
export function QuestionDialog({ question, onClose }: { question: Question | null; onClose: () => void }) {
  useReturnFocus()
  const put = usePutQuestions()
  const [text, setText] = useState(question?.question ?? '')
  const [page, setPage] = useState(question?.page ?? '')
  const [fact, setFact] = useState(question?.fact ?? '')
  const expected = { page: page.trim() || null, fact: fact.trim() || null }
  const isWhole = text.trim() !== '' && (expected.page !== null || expected.fact !== null)
  return (
    <Modal opened onClose={onClose} size="lg" title={question ? 'Edit the question' : 'Add a question'}>
      <SubmitForm
        action={question ? 'Save' : 'Add question'}
        work={put}
        isComplete={isWhole}
        onSubmit={() => put.mutate([{ question: text.trim(), ...expected }], { onSuccess: onClose })}
        onCancel={onClose}
      >
        <Textarea
          label="Question"
          placeholder="How many vacation days do I get?"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={QUERY_CHARACTERS_MAX}
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
          maxLength={QUERY_CHARACTERS_MAX}
          onChange={setPage}
        />
        <TextInput
          label="Fact"
          description="Words that the answer should contain. Case and spaces are ignored."
          value={fact}
          onChange={(event) => setFact(event.currentTarget.value)}
          maxLength={QUERY_CHARACTERS_MAX}
        />
      </SubmitForm>
    </Modal>
  )
}
