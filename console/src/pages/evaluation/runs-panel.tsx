import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ChartNoAxesColumn, Trash2 } from 'lucide-react'
import { memberName } from '../members/member-rules.ts'
import { useMembers } from '../members/use-members.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDateTime } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { ResultsTable } from './results-table.tsx'
import { type Run, useDeleteRun, useRun, useRuns } from './use-evaluation.ts'
import type { Measuring } from './use-measuring.ts'

interface Choice {
  /** The run in the URL. The default is the newest. */
  chosen: string | undefined
  measuring: Measuring
  onChoose: (id: string | null) => void
}

/** A run with its figures and questions, and a selector for other runs. */
export function RunsPanel(choice: Choice) {
  const runs = useRuns()
  return (
    <Stack gap="lg">
      {choice.measuring.error && <ErrorNotice error={choice.measuring.error} />}
      <Reading query={runs}>
        {(all) => {
          const shown = all.find(({ id }) => id === choice.chosen) ?? all[0]
          return shown === undefined ? (
            <NoRuns />
          ) : (
            <ShownRun key={shown.id} runs={all} id={shown.id} {...choice} />
          )
        }}
      </Reading>
    </Stack>
  )
}

function NoRuns() {
  return (
    <Panel>
      <EmptyState
        icon={ChartNoAxesColumn}
        title="No runs yet"
        text="A run measures search and answers with questions whose answers you know."
        action={
          <ButtonLink to="/evaluation" search={{ tab: 'questions' }} variant="default">
            Go to questions
          </ButtonLink>
        }
      />
    </Panel>
  )
}

function ShownRun({
  runs,
  id,
  measuring,
  onChoose,
}: Omit<Choice, 'chosen'> & { runs: readonly Run[]; id: string }) {
  const [isAsked, asking] = useDisclosure(false)
  const read = useRun(id)
  const remove = useDeleteRun(() => {
    asking.close()
    onChoose(null)
  })
  return (
    <>
      <Group justify="space-between" align="flex-end">
        <Select
          label="Run"
          data={runs.map((run) => ({ value: run.id, label: formatDateTime(run.startedAt) }))}
          value={id}
          onChange={onChoose}
          allowDeselect={false}
          w="16rem"
        />
        <Button
          variant="default"
          leftSection={<Trash2 size={15} aria-hidden />}
          disabled={measuring.runId === id}
          onClick={asking.open}
        >
          Delete this run
        </Button>
      </Group>
      <Reading query={read}>
        {({ run, results }) => (
          <>
            <Unfinished run={run} measuring={measuring} />
            <Figures run={run} isFirst={runs.at(-1)?.id === run.id} />
            <ResultsTable run={run} results={results} />
          </>
        )}
      </Reading>
      <ConfirmDialog
        isOpen={isAsked}
        title="Delete this run?"
        text="Its ranks and answers are lost. The questions stay."
        confirm="Delete run"
        work={remove}
        onConfirm={() => remove.mutate(id)}
        onClose={asking.close}
      />
    </>
  )
}

/** The progress of a run. Renders nothing for a complete one. */
function Unfinished({ run, measuring }: { run: Run; measuring: Measuring }) {
  const { user } = useWorkspace()
  const members = useMembers().data ?? []
  if (run.measured === run.questions) return null
  const isRunning = measuring.runId === run.id
  const isOwn = run.userId === user.id
  const starter = members.find(({ id }) => id === run.userId)
  const done = `${formatNumber(run.measured)} of ${count(run.questions, 'question')} measured`
  return (
    <Panel
      title={isRunning ? (measuring.isPaused ? 'Waiting for the rate limit' : 'Measuring') : 'Not complete'}
      action={
        isRunning ? (
          <Button variant="default" onClick={measuring.stop}>
            Stop
          </Button>
        ) : isOwn ? (
          <Button
            variant="default"
            disabled={measuring.runId !== null}
            onClick={() => void measuring.continueRun(run.id)}
          >
            Continue
          </Button>
        ) : undefined
      }
    >
      <Text size="sm" role="status">
        {isRunning
          ? `${done}. It stops when you leave this page.`
          : isOwn
            ? `${done}.`
            : `${done}. Only ${starter ? memberName(starter) : 'its starter'} can continue it.`}
      </Text>
      <Progress.Root size="sm" mt={8}>
        <Progress.Section value={(run.measured / run.questions) * 100} aria-label="Measured questions" />
      </Progress.Root>
    </Panel>
  )
}

function Figures({ run, isFirst }: { run: Run; isFirst: boolean }) {
  const of = `of ${formatNumber(run.measured)}`
  const isChanged = run.better + run.worse > 0
  return (
    <Stats>
      <Stat label="Found first" value={formatNumber(run.hitsAt1)}>
        {of}
      </Stat>
      <Stat label="In the first 3" value={formatNumber(run.hitsAt3)}>
        {of}
      </Stat>
      <Stat label="In the first 10" value={formatNumber(run.hitsAt10)}>
        {of}
      </Stat>
      <Stat label="Facts in answers" value={formatNumber(run.factsInAnswers)}>
        of {formatNumber(run.facts)}
      </Stat>
      <Stat
        label="Changes"
        value={isChanged ? `${formatNumber(run.better)} better` : isFirst ? 'First run' : 'None'}
      >
        {isChanged && `${formatNumber(run.worse)} worse`}
      </Stat>
    </Stats>
  )
}
