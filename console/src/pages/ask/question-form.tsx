import { Button, Group, SegmentedControl, Switch, Text, Textarea } from '@mantine/core'
import { Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useConsole } from '../../session/context.tsx'
import { type AskSearch, QUESTION_CHARACTERS_MAX } from './ask-search.ts'
import classes from './question-form.module.css'

/** The question, the kind of result, and a start or stop button. Enter asks; Shift+Enter starts a new line. */
export function QuestionForm({
  search,
  isRunning,
  onAsk,
  onStop,
  onMode,
  onEffort,
}: {
  search: AskSearch
  isRunning: boolean
  onAsk: (question: string) => void
  onStop: () => void
  onMode: (mode: AskSearch['mode']) => void
  onEffort: (effort: AskSearch['effort']) => void
}) {
  const [question, setQuestion] = useWritten(search.q ?? '')
  const isSearch = search.mode === 'search'
  const isEmpty = question.trim() === ''
  const box = useFocusAtFirst(search.item === undefined)
  const ask = (): void => {
    if (!isEmpty && !isRunning) onAsk(question.trim())
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <Textarea
        label="Question"
        size="md"
        placeholder={isSearch ? 'vacation days' : 'How many vacation days do I get?'}
        ref={box}
        data-page-focus={search.item === undefined ? true : undefined}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={QUESTION_CHARACTERS_MAX}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          ask()
        }}
      />
      <Group justify="space-between" mt="sm" gap="sm">
        <Wanted search={search} onMode={onMode} onEffort={onEffort} />
        <Actions isSearch={isSearch} isRunning={isRunning} isEmpty={isEmpty} onStop={onStop} />
      </Group>
    </form>
  )
}

/** The kind of result: an answer, a thorough answer if there is a language model, or search results. */
function Wanted({
  search,
  onMode,
  onEffort,
}: {
  search: AskSearch
  onMode: (mode: AskSearch['mode']) => void
  onEffort: (effort: AskSearch['effort']) => void
}) {
  const { config } = useConsole()
  const isSearch = search.mode === 'search'
  return (
    <Group gap="md">
      <SegmentedControl
        aria-label="What you want"
        data={[
          { value: 'answer', label: 'Answer' },
          { value: 'search', label: 'Search results' },
        ]}
        value={search.mode ?? 'answer'}
        onChange={(mode) => onMode(mode === 'search' ? 'search' : undefined)}
      />
      {config.hasLanguageModel && !isSearch && (
        <Switch
          label="Thorough"
          description="Several searches, slower"
          checked={search.effort === 'high'}
          onChange={(event) => onEffort(event.currentTarget.checked ? 'high' : undefined)}
        />
      )}
    </Group>
  )
}

/** Focuses the input when the page opens, except on touch screens, where the keyboard would cover the page. */
function useFocusAtFirst(isWanted: boolean) {
  const box = useRef<HTMLTextAreaElement>(null)
  const wanted = useRef(isWanted)
  useEffect(() => {
    if (wanted.current && matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true })
  }, [])
  return box
}

function Actions({
  isSearch,
  isRunning,
  isEmpty,
  onStop,
}: {
  isSearch: boolean
  isRunning: boolean
  isEmpty: boolean
  onStop: () => void
}) {
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed" visibleFrom="sm">
        Enter to {isSearch ? 'search' : 'ask'}
      </Text>
      {/* Two buttons: a single one that changes on click would submit what it has stopped. */}
      {isRunning ? (
        <Button key="stop" variant="default" leftSection={<Square size={13} aria-hidden />} onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button key="start" type="submit" disabled={isEmpty}>
          {isSearch ? 'Search' : 'Ask'}
        </Button>
      )}
    </Group>
  )
}

/** The text of the input. It starts as the question in the URL, and resets when the URL changes. */
function useWritten(asked: string): [string, (text: string) => void] {
  const [state, setState] = useState({ asked, text: asked })
  if (state.asked !== asked) setState({ asked, text: asked })
  return [state.asked === asked ? state.text : asked, (text) => setState({ asked, text })]
}
