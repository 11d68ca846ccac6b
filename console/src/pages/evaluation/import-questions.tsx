import { Button, Modal, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { QuestionFileError, readQuestions } from '../../../../cli/evaluation/read-questions.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { usePutQuestions } from './use-evaluation.ts'

const BYTES_MAX = 1_048_576

/** Imports questions from a CSV file in the format of the command line. */
export function ImportQuestions() {
  const input = useRef<HTMLInputElement>(null)
  const put = usePutQuestions()
  const [fault, setFault] = useState<string | null>(null)
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    put.reset()
    try {
      if (file.size > BYTES_MAX) throw new QuestionFileError('The file is over 1 MiB.')
      const questions = readQuestions(await file.text())
      put.mutate(questions.map(({ question, page, fact }) => ({ question, page, fact })))
    } catch (error) {
      setFault(error instanceof QuestionFileError ? error.message : 'The browser could not read the file.')
    }
  }
  const close = (): void => {
    setFault(null)
    put.reset()
  }
  return (
    <>
      <Button size="xs" variant="default" loading={put.isPending} onClick={() => input.current?.click()}>
        Import CSV
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label="CSV file with questions"
        onChange={(event) => {
          void read(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <Modal
        opened={fault !== null || put.isError || put.isSuccess}
        onClose={close}
        title={put.isSuccess ? 'Questions imported' : 'Nothing was imported'}
      >
        {fault !== null && <Text style={{ whiteSpace: 'pre-line' }}>{fault}</Text>}
        {put.error && <ErrorNotice error={put.error} />}
        {put.data && (
          <Text>{`${count(put.data.added, 'question')} added, ${put.data.replaced} replaced.`}</Text>
        )}
      </Modal>
    </>
  )
}
