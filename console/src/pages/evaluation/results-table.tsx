import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import { AnswerDialog } from './answer-dialog.tsx'
import classes from './evaluation.module.css'
import { Expected } from './expected.tsx'
import type { Result, Run } from './use-evaluation.ts'

/** Regressions come first. Questions with the same change keep their order. */
const ORDER = { worse: 0, better: 1, new: 2, same: 3 }

/** The questions of a run with their current and previous ranks. */
export function ResultsTable({ run, results }: { run: Run; results: readonly Result[] }) {
  const [open, setOpen] = useState<Result | null>(null)
  const isComplete = run.measured === run.questions
  const shown = isComplete ? results.toSorted((one, other) => orderOf(one) - orderOf(other)) : results
  return (
    <Panel title="Questions" isFlush>
      <DataTable
        label="Results"
        rows={shown}
        rowKey={({ questionId }) => questionId}
        columns={[
          {
            label: 'Question',
            cell: (result) => (
              <div className={classes.question}>
                {result.question}
                <Expected of={result} />
              </div>
            ),
          },
          { label: 'Rank', cell: (result) => <Rank result={result} /> },
          { label: 'Fact', cell: ({ hasFact, measuredAt }) => <Fact hasFact={measuredAt && hasFact} /> },
          { label: 'Change', cell: ({ change }) => <ChangeCell change={change} /> },
          {
            label: 'Answer',
            isAction: true,
            isAtEnd: true,
            cell: (result) =>
              result.measuredAt !== null && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`See answer: ${result.question}`}
                  onClick={() => setOpen(result)}
                >
                  See answer
                </Button>
              ),
          },
        ]}
      />
      {open && <AnswerDialog runId={run.id} result={open} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function orderOf({ change }: Result): number {
  return change === null ? ORDER.same : ORDER[change]
}

function Rank({ result: { rank, previousRank, previousMeasuredAt, measuredAt } }: { result: Result }) {
  if (measuredAt === null) return <Nothing>Not measured</Nothing>
  const isMoved = previousMeasuredAt !== null && previousRank !== rank
  return (
    <span>
      {rank ?? 'Not found'}
      {isMoved && <Nothing>{previousRank === null ? ' was not found' : ` was ${previousRank}`}</Nothing>}
    </span>
  )
}

function Fact({ hasFact }: { hasFact: boolean | string | null }) {
  if (typeof hasFact !== 'boolean') return <Nothing>–</Nothing>
  return <Status tone={hasFact ? 'good' : 'bad'}>{hasFact ? 'In the answer' : 'Missing'}</Status>
}

const CHANGES: Record<NonNullable<Result['change']>, { tone: Tone; word: string }> = {
  better: { tone: 'good', word: 'Better' },
  worse: { tone: 'bad', word: 'Worse' },
  same: { tone: 'off', word: 'Same' },
  new: { tone: 'off', word: 'New' },
}

function ChangeCell({ change }: Pick<Result, 'change'>) {
  if (change === null) return <Nothing>–</Nothing>
  const { tone, word } = CHANGES[change]
  return <Status tone={tone}>{word}</Status>
}

function Nothing({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  )
}
