import { Group, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { takeQuestion } from '../../data/pending-question.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type AskSearch, atFirst, searchRequestOf, without, withoutFilter } from './ask-search.ts'
import { CallPanel } from './call-panel.tsx'
import { DeleteThread } from './delete-thread.tsx'
import { Filters } from './filters.tsx'
import { LinkedWorkspace } from './linked-workspace.tsx'
import { citedIn } from './marker.tsx'
import { OpenSource } from './open-source.tsx'
import { PlanNotice } from './plan-notice.tsx'
import { QuestionForm, ThoroughSwitch } from './question-form.tsx'
import { SearchResults, useSearchResults } from './search-results.tsx'
import { conversationOfLink } from './question-link.ts'
import { Suggestions } from './suggestions.tsx'
import { ThreadList } from './thread-list.tsx'
import { ThreadView } from './thread-view.tsx'
import { type AnswerState, useAnswer } from './use-answer.ts'
import { useShownThread } from './use-shown-thread.ts'
import { useSaveTurn, useThread } from './use-threads.ts'

/** A thread of questions with cited answers, or search results. */
export function AskPage() {
  const { organization } = useWorkspace()
  const search = useSearch({ from: '/ask' })
  if (search.workspace !== undefined) return <LinkedWorkspace id={search.workspace} />
  // The key resets answers and pending questions when the workspace changes.
  return <Asking key={organization.id} search={search} />
}

function Asking({ search }: { search: AskSearch }) {
  const { config } = useConsole()
  const navigate = useNavigate({ from: '/ask' })
  const go = (next: AskSearch): void => void navigate({ search: next, resetScroll: false })
  const { answer, ask, stop } = useThreadedAnswer(search)
  const shown = useShownThread(search, answer)
  const isSearch = search.mode === 'search'
  // A thorough answer needs a language model, whatever the URL says.
  const isThorough = config.hasLanguageModel && search.effort === 'high'
  const start = (question: string): void => {
    go({ ...without(atFirst(search), 'thread'), q: question })
    const conversation = question === search.q ? conversationOfLink(search) : []
    if (!isSearch) void ask({ question, conversation, thread: undefined, isThorough })
  }
  const startLeft = useEffectEvent(() => {
    const left = takeQuestion()
    if (left !== null) start(left)
  })
  useEffect(() => startLeft(), [])
  const isBlank = search.thread === undefined && (isSearch ? search.q === undefined : answer === null)
  const changeEffort = (effort: AskSearch['effort']): void =>
    go(effort === undefined ? without(search, 'effort') : { ...search, effort })
  return (
    <>
      <PageHeader
        title="Ask"
        text="Answers cite their sources. An answer or a search costs one credit."
        action={<Actions thread={search.thread} />}
      />
      <Stack gap="lg">
        <PlanNotice />
        {(isSearch || shown.isNew) && (
          <QuestionForm
            search={search}
            onAsk={start}
            onMode={(mode) => go(withMode(search, mode))}
            onEffort={changeEffort}
          />
        )}
        {isSearch ? (
          <Searching search={search} onGo={go} />
        ) : (
          <ThreadView
            search={search}
            shown={shown}
            isThorough={isThorough}
            options={<ThoroughSwitch search={search} onEffort={changeEffort} />}
            onStart={start}
            onAsk={(asked) => void ask(asked)}
            onStop={stop}
            onGo={go}
          />
        )}
        {isBlank && (
          <>
            <Suggestions onChoose={start} />
            <ThreadList />
          </>
        )}
      </Stack>
    </>
  )
}

/** Filters, search results, and the open result. */
function Searching({ search, onGo }: { search: AskSearch; onGo: (search: AskSearch) => void }) {
  const results = useSearchResults(search)
  return (
    <>
      <Filters search={search} onChange={(next) => onGo(atFirst(next))} />
      {search.q !== undefined && (
        <>
          <SearchResults
            search={search}
            query={results}
            onAll={() => onGo({ ...atFirst(search), all: true })}
            onUnfiltered={() => onGo(withoutFilter(atFirst(search)))}
          />
          {results.data && <CallPanel call={{ route: 'search', body: searchRequestOf(search) }} />}
        </>
      )}
      <OpenSource
        search={search}
        answered={{ text: null, passages: results.data?.hits ?? [], stored: null }}
        onGo={onGo}
      />
    </>
  )
}

/** The current answer. When it is complete, it is stored in its thread, or in a new one. */
function useThreadedAnswer(search: AskSearch) {
  const navigate = useNavigate({ from: '/ask' })
  const save = useSaveTurn()
  const keep = async (answer: AnswerState): Promise<AnswerState['saved']> => {
    const saved = await save(answer.thread, {
      question: answer.question,
      answer: answer.text,
      citations: citationsOf(answer),
      ...(answer.requestId === null ? {} : { requestId: answer.requestId }),
    })
    // Not awaited: the thread must not show the stored question beside its live answer before the two are matched.
    void navigate({
      search: (now: AskSearch) => (now.q === answer.question ? { ...now, thread: saved.id } : now),
      replace: true,
      resetScroll: false,
    })
    return saved
  }
  return useAnswer(search.q, keep)
}

function citationsOf({ text, context }: AnswerState) {
  return citedIn(text, context).flatMap((index) => {
    const passage = context[index - 1]
    if (passage === undefined) return []
    const { sourceItemId, title, url } = passage
    return [{ index, sourceItemId, title, ...(url === '' ? {} : { url }) }]
  })
}

function Actions({ thread }: { thread: string | undefined }) {
  const { error } = useThread(thread)
  if (thread === undefined) return null
  return (
    <Group gap="sm">
      <ButtonLink to="/ask" variant="default">
        New thread
      </ButtonLink>
      {error?.status !== 404 && <DeleteThread id={thread} label="Delete thread" size="input-sm" />}
    </Group>
  )
}

/** Answers read the whole memory, so the answer mode drops the filters. */
function withMode(search: AskSearch, mode: AskSearch['mode']): AskSearch {
  return mode === undefined ? without(withoutFilter(atFirst(search)), 'mode') : { ...atFirst(search), mode }
}
