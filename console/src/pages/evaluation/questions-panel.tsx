import { Badge, Button, Group } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { ListChecks, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { Status } from '../../ui/status.tsx'
import classes from './evaluation.module.css'
import { Expected } from './expected.tsx'
import { ImportQuestions } from './import-questions.tsx'
import { QuestionDialog } from './question-dialog.tsx'
import { type Question, useDeleteQuestions } from './use-evaluation.ts'

type Open = { is: 'new' | 'all' } | { is: 'edit' | 'delete'; question: Question }

const FEEDBACK: Record<NonNullable<Question['feedback']>, string> = {
  useful: 'Rated useful',
  wrong: 'Rated wrong',
  missing_source: 'Missing source',
}

export function QuestionsPanel({ questions }: { questions: UseQueryResult<Question[]> }) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Panel
      title="Questions"
      isFlush
      action={
        <Group gap="xs">
          {(questions.data?.length ?? 0) > 0 && (
            <Button size="xs" variant="default" onClick={() => setOpen({ is: 'all' })}>
              Delete all
            </Button>
          )}
          <ImportQuestions />
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setOpen({ is: 'new' })}
          >
            Add a question
          </Button>
        </Group>
      }
    >
      <Reading query={questions}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={ListChecks}
              title="No questions yet"
              text="Add one, import a CSV file with the columns question, page and fact, or add a question from Ask once you have rated its answer."
            />
          ) : (
            <QuestionTable questions={rows} onOpen={setOpen} />
          )
        }
      </Reading>
      {(open?.is === 'new' || open?.is === 'edit') && (
        <QuestionDialog question={open.is === 'edit' ? open.question : null} onClose={close} />
      )}
      <DeleteDialog open={open} total={questions.data?.length ?? 0} onClose={close} />
    </Panel>
  )
}

/** Only questions that were added from Ask have a rating. */
const RATED: Column<Question> = {
  label: 'Rated',
  cell: ({ feedback }) =>
    feedback !== null && (
      <Badge variant="default" tt="none" fw={500}>
        {FEEDBACK[feedback]}
      </Badge>
    ),
}

function QuestionTable({
  questions,
  onOpen,
}: {
  questions: readonly Question[]
  onOpen: (open: Open) => void
}) {
  return (
    <DataTable
      label="Questions"
      rows={questions}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Question',
          cell: (question) => (
            <div className={classes.question}>
              {question.question}
              <Expected of={question} />
            </div>
          ),
        },
        ...(questions.some(({ feedback }) => feedback !== null) ? [RATED] : []),
        { label: 'Last rank', cell: (question) => <LastRank question={question} /> },
        {
          label: 'Actions',
          isAtEnd: true,
          isAction: true,
          cell: (question) => (
            <RowMenu
              of={question.question}
              actions={[
                { label: 'Edit', icon: Pencil, onChoose: () => onOpen({ is: 'edit', question }) },
                {
                  label: 'Delete',
                  icon: Trash2,
                  isGrave: true,
                  onChoose: () => onOpen({ is: 'delete', question }),
                },
              ]}
            />
          ),
        },
      ]}
    />
  )
}

function LastRank({ question: { page, fact, lastRank, lastMeasuredAt } }: { question: Question }) {
  if (page === null && fact === null) return <Status tone="waiting">Needs a page or a fact</Status>
  if (lastMeasuredAt === null) return <Status tone="off">Not measured</Status>
  return lastRank ?? 'Not found'
}

function DeleteDialog({ open, total, onClose }: { open: Open | null; total: number; onClose: () => void }) {
  const remove = useDeleteQuestions()
  const close = (): void => {
    remove.reset()
    onClose()
  }
  const areAll = open?.is === 'all'
  return (
    <ConfirmDialog
      isOpen={areAll || open?.is === 'delete'}
      title={areAll ? `Delete ${count(total, 'question')}?` : 'Delete this question?'}
      text={`${open?.is === 'delete' ? `“${open.question.question}” is deleted. ` : ''}Runs keep their questions and answers.`}
      confirm={areAll ? 'Delete all' : 'Delete question'}
      work={remove}
      onConfirm={() => remove.mutate(open?.is === 'delete' ? open.question.id : null, { onSuccess: close })}
      onClose={close}
    />
  )
}
