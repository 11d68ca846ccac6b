import { Button, Group, SegmentedControl, Switch, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { QUERY_CHARACTERS_MAX } from '../../../../src/kernel/limits.ts'
import { useConsole } from '../../session/context.tsx'
import type { AskSearch } from './ask-search.ts'
import { onEnter, useFocusAtFirst } from './question-field.ts'
import classes from './question-form.module.css'

/** A first question or a search. Enter asks; Shift+Enter starts a new line. */
export function QuestionForm({
  search,
  onAsk,
  onMode,
  onEffort,
}: {
  search: AskSearch
  onAsk: (question: string) => void
  onMode: (mode: AskSearch['mode']) => void
  onEffort: (effort: AskSearch['effort']) => void
}) {
  const [question, setQuestion] = useWritten(search.q ?? '')
  const isSearch = search.mode === 'search'
  const isEmpty = question.trim() === ''
  const box = useFocusAtFirst(search.item === undefined)
  const ask = (): void => {
    if (!isEmpty) onAsk(question.trim())
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
        maxLength={QUERY_CHARACTERS_MAX}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        onKeyDown={onEnter(ask)}
      />
      <Group justify="space-between" mt="sm" gap="sm">
        <Wanted search={search} onMode={onMode} onEffort={onEffort} />
        <Group gap="sm" ml="auto">
          <Text size="sm" c="dimmed" visibleFrom="sm">
            Enter to {isSearch ? 'search' : 'ask'}
          </Text>
          <Button type="submit" disabled={isEmpty}>
            {isSearch ? 'Search' : 'Ask'}
          </Button>
        </Group>
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
  return (
    <Group gap="md">
      <SegmentedControl
        aria-label="Type of result"
        data={[
          { value: 'answer', label: 'Answer' },
          { value: 'search', label: 'Search results' },
        ]}
        value={search.mode ?? 'answer'}
        onChange={(mode) => onMode(mode === 'search' ? 'search' : undefined)}
      />
      {search.mode !== 'search' && <ThoroughSwitch search={search} onEffort={onEffort} />}
    </Group>
  )
}

/** Several searches for an answer, which need a language model. */
export function ThoroughSwitch({
  search,
  onEffort,
}: {
  search: AskSearch
  onEffort: (effort: AskSearch['effort']) => void
}) {
  const { config } = useConsole()
  if (!config.hasLanguageModel) return null
  return (
    <Switch
      label="Thorough"
      description="Several searches, slower"
      checked={search.effort === 'high'}
      onChange={(event) => onEffort(event.currentTarget.checked ? 'high' : undefined)}
    />
  )
}

/** The text of the input. It starts as the question in the URL, and resets when the URL changes. */
function useWritten(asked: string): [string, (text: string) => void] {
  const [state, setState] = useState({ asked, text: asked })
  if (state.asked !== asked) setState({ asked, text: asked })
  return [state.asked === asked ? state.text : asked, (text) => setState({ asked, text })]
}
