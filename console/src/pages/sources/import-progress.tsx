import { Button, Group, Progress, Text } from '@mantine/core'
import { DataTable } from '../../ui/data-table.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { count, formatBytes, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import classes from './import-progress.module.css'
import { type ImportedFile, type ImportQueue, keyOf, type Outcome } from './import-queue.ts'

const SHOWN_MAX = 200
/** Problems first, then files in progress. */
const ORDER: Record<Outcome['is'], number> = {
  failed: 0,
  refused: 1,
  sending: 2,
  stored: 3,
  unchanged: 4,
  waiting: 5,
}

interface Progressed {
  queue: ImportQueue
  files: readonly ImportedFile[]
  /** How many system and tool files were skipped. */
  hidden: number
}

export function ImportProgress({ queue, files, hidden }: Progressed) {
  if (files.length === 0)
    return hidden === 0 ? null : (
      <Text c="dimmed">{`${count(hidden, 'hidden file')} skipped. No other files were selected.`}</Text>
    )
  const isOver = numberOf(files, 'waiting', 'sending') === 0
  const shown = files
    .toSorted((one, other) => ORDER[one.outcome.is] - ORDER[other.outcome.is])
    .slice(0, SHOWN_MAX)
  return (
    <Panel
      title={isOver ? 'Import finished' : 'Importing'}
      isFlush
      action={<NextSteps queue={queue} files={files} isOver={isOver} />}
    >
      <Summary files={files} hidden={hidden} />
      <DataTable
        label="Files"
        rows={shown}
        rowKey={keyOf}
        columns={[
          { label: 'File', cell: ({ name }) => <span className={classes.file}>{name}</span> },
          { label: 'Outcome', cell: ({ outcome }) => <OutcomeCell outcome={outcome} /> },
          { label: 'Size', cell: ({ file }) => formatBytes(file.size), isAtEnd: true },
        ]}
      />
      {files.length > SHOWN_MAX && <TooMany shown={SHOWN_MAX} hint="Failed files come first." />}
    </Panel>
  )
}

function NextSteps({ queue, files, isOver }: Omit<Progressed, 'hidden'> & { isOver: boolean }) {
  return (
    <Group gap="xs">
      {numberOf(files, 'failed') > 0 && (
        <Button size="xs" onClick={() => queue.retry()}>
          Retry failed files
        </Button>
      )}
      {isOver && (
        <Button size="xs" variant="default" onClick={() => queue.clear()}>
          Clear the list
        </Button>
      )}
      {isOver && numberOf(files, 'stored') > 0 && (
        <ButtonLink size="xs" variant="default" to="/ask">
          Ask about them
        </ButtonLink>
      )}
    </Group>
  )
}

function Summary({ files, hidden }: Omit<Progressed, 'queue'>) {
  const over = files.length - numberOf(files, 'waiting', 'sending')
  const failed = numberOf(files, 'failed')
  const parts: readonly [number: number, words: string][] = [
    [numberOf(files, 'stored'), 'stored'],
    [numberOf(files, 'unchanged'), 'unchanged'],
    [numberOf(files, 'refused'), 'not sent'],
    [failed, 'failed'],
    [hidden, `hidden ${hidden === 1 ? 'file' : 'files'} left out`],
  ]
  return (
    <div className={classes.summary}>
      <Progress.Root size="sm">
        <Progress.Section
          value={((over - failed) / files.length) * 100}
          color="accent"
          aria-label="Files that are done"
        />
        <Progress.Section value={(failed / files.length) * 100} color="red" aria-label="Files that failed" />
      </Progress.Root>
      <Text size="sm" c="dimmed" role="status">
        {[
          `${formatNumber(over)} of ${formatNumber(files.length)} done`,
          ...parts.flatMap(([number, words]) => (number === 0 ? [] : [`${formatNumber(number)} ${words}`])),
        ].join(' · ')}
      </Text>
    </div>
  )
}

function numberOf(files: readonly ImportedFile[], ...outcomes: Outcome['is'][]): number {
  return files.filter(({ outcome }) => outcomes.includes(outcome.is)).length
}

function OutcomeCell({ outcome }: { outcome: Outcome }) {
  const { tone, word, text } = wordsOf(outcome)
  return (
    <div>
      <Status tone={tone}>{word}</Status>
      {text !== null && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
    </div>
  )
}

function wordsOf(outcome: Outcome): { tone: Tone; word: string; text: string | null } {
  switch (outcome.is) {
    case 'waiting':
      return { tone: 'off', word: 'Waiting', text: null }
    case 'sending':
      return { tone: 'busy', word: 'Reading', text: null }
    case 'stored':
      return {
        tone: 'good',
        word: 'Stored',
        text: outcome.isTruncated ? `${outcome.title}: the first 1 MB of its text` : outcome.title,
      }
    case 'unchanged':
      return { tone: 'good', word: 'Unchanged', text: 'Already stored' }
    case 'refused':
      return { tone: 'waiting', word: 'Not sent', text: outcome.reason }
    case 'failed':
      return { tone: 'bad', word: 'Failed', text: outcome.reason }
  }
}
