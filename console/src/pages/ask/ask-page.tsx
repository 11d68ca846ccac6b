import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Answer, askStreaming } from '../../api/ask-stream.ts'
import type { ApiError } from '../../api/errors.ts'
import { useConsole } from '../../app/context.tsx'
import { useWorkspace } from '../../app/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import classes from './ask-page.module.css'

/** A question and its answer, with what it is cited from. */
export function AskPage() {
  const { organization } = useWorkspace()
  const { session } = useConsole()
  const queries = useQueryClient()
  const [question, setQuestion] = useState('')
  const [written, setWritten] = useState('')
  const nextSignal = useSignal()
  const ask = useMutation<Answer | undefined, ApiError, string>({
    async mutationFn(query) {
      setWritten('')
      let answer: Answer | undefined
      for await (const { event, data } of askStreaming(session, organization.id, { query }, nextSignal())) {
        if (event === 'delta') setWritten((text) => text + data.text)
        if (event === 'done') answer = data
      }
      return answer
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [organization.id, 'billing'] }),
  })
  return (
    <>
      <PageHeader
        title="Ask"
        text="Every statement of an answer cites where it comes from. One answer costs one credit."
      />
      <Stack gap="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            ask.mutate(question.trim())
          }}
        >
          <Textarea
            label="Question"
            placeholder="How many vacation days do I get?"
            autosize
            minRows={2}
            maxLength={8_192}
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <Group justify="flex-end" mt="sm">
            <Button type="submit" loading={ask.isPending} disabled={question.trim() === ''}>
              Ask
            </Button>
          </Group>
        </form>
        {ask.error && <ErrorNotice error={ask.error} />}
        {ask.isPending && (written === '' ? <LinesSkeleton /> : <AnswerPanel text={written} />)}
        {ask.data && <AnswerPanel text={ask.data.answer} answer={ask.data} />}
      </Stack>
    </>
  )
}

/** An answer as far as it is written, and what it cites once it is whole. */
function AnswerPanel({ text, answer }: { text: string; answer?: Answer }) {
  return (
    <Panel title="Answer">
      <div aria-live="polite" aria-busy={answer === undefined}>
        <Markdown text={text} />
      </div>
      {answer !== undefined && answer.citations.length > 0 && (
        <ol className={classes.citations}>
          {answer.citations.map(({ index, sourceItemId, title }) => (
            <li key={index} value={index}>
              <SourceLink href={answer.context.find((hit) => hit.sourceItemId === sourceItemId)?.url ?? null}>
                {title}
              </SourceLink>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

/** A signal for each answer; the one before is given up, and the last when the page is left. */
function useSignal(): () => AbortSignal {
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])
  return () => {
    controller.current?.abort()
    controller.current = new AbortController()
    return controller.current.signal
  }
}
