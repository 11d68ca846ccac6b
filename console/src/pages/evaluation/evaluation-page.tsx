import { Button, Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { count } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { QuestionsPanel } from './questions-panel.tsx'
import { RunsPanel } from './runs-panel.tsx'
import { useQuestions } from './use-evaluation.ts'
import { useMeasuring } from './use-measuring.ts'

const route = getRouteApi('/admins/evaluation')
const CREDITS_EACH = 2

/** How well the memory answers questions with known answers, and what changed since the last run. */
export function EvaluationPage() {
  const { tab = 'results', run } = route.useSearch()
  const navigate = useNavigate()
  const questions = useQuestions()
  const measuring = useMeasuring()
  const complete = questions.data?.filter(({ page, fact }) => page !== null || fact !== null).length ?? 0
  const start = async (): Promise<void> => {
    const id = await measuring.start()
    if (id !== null) await navigate({ to: '/evaluation', search: { run: id } })
  }
  return (
    <>
      <PageHeader
        title="Evaluation"
        text={
          complete === 0
            ? 'Search and answers on your own questions.'
            : `Search and answers on your own questions. A run of ${count(complete, 'question')} costs ${count(complete * CREDITS_EACH, 'credit')}.`
        }
        action={
          <Button
            leftSection={<Play size={15} aria-hidden />}
            onClick={() => void start()}
            disabled={complete === 0 || measuring.runId !== null}
          >
            Start a run
          </Button>
        }
      />
      <Tabs
        value={tab}
        onChange={(chosen) =>
          void navigate({ to: '/evaluation', search: chosen === 'questions' ? { tab: chosen } : {} })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="results">Results</Tabs.Tab>
          <Tabs.Tab value="questions">Questions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="results">
          <RunsPanel
            chosen={run}
            measuring={measuring}
            onChoose={(id) => void navigate({ to: '/evaluation', search: id === null ? {} : { run: id } })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="questions">
          <QuestionsPanel questions={questions} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
