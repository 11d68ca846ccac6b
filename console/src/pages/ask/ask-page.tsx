import { Group, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { takeQuestion } from '../../data/pending-question.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AnswerView } from './answer-view.tsx'
import { type AskSearch, CONVERSATION_MAX, searchRequestOf, without, withoutFilter } from './ask-search.ts'
import { CallPanel } from './call-panel.tsx'
import { DeleteThread } from './delete-thread.tsx'
import { EarlierTurns } from './earlier-turns.tsx'
import { Filters } from './filters.tsx'
import { FollowUpForm } from './follow-up-form.tsx'
import { LinkedWorkspace } from './linked-workspace.tsx'
import { citedIn } from './marker.tsx'
import { answeredIn, OpenSource } from './open-source.tsx'
import { PlanNotice } from './plan-notice.tsx'
import { QuestionForm } from './question-form.tsx'
import { SearchResults, useSearchResults } from './search-results.tsx'
import { conversationOfLink } from './question-link.ts'
import { SharedQuestion } from './shared-question.tsx'
import { Suggestions } from './suggestions.tsx'
import { ThreadList } from './thread-list.tsx'
import {
  type AnswerState,
  askRequestOf,
  type Asked,
  type Conversation,
  conversationAfter,
  useAnswer,
} from './use-answer.ts'
import { type Turn, useSaveTurn, useThread } from './use-threads.ts'

const NO_TURNS: readonly Turn[] = []

/** A thread of questions with cited answers, or search results. */
export function AskPage() {
  const { organization } = useWorkspace()
  const search = useSearch({ from: '/ask' })
  if (search.workspace !== undefined) return <LinkedWorkspace id={search.workspace} />
  // The key resets answers and pending questions when the workspace changes.
  return <Asking key={organization.id} search={search} />
}

function Asking({ search }: { search: AskSearch }) {
  const navigate = useNavigate({ from: '/ask' })
  const go = (next: AskSearch): void => void navigate({ search: next, resetScroll: false })
  const { answer, ask, stop } = useThreadedAnswer(search)
  const isSearch = search.mode === 'search'
  const isThorough = useIsThorough(search)
  const isRunning = !isSearch && (answer?.phase === 'reading' || answer?.phase === 'writing')
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
  return (
    <>
      <PageHeader
        title="Ask"
        text="Answers cite their sources. An answer or a search costs one credit."
        action={<Actions thread={search.thread} />}
      />
      <Stack gap="lg">
        <PlanNotice />
        <QuestionForm
          search={search}
          isRunning={isRunning}
          onAsk={start}
          onStop={stop}
          onMode={(mode) => go(withMode(search, mode))}
          onEffort={(effort) => go(effort === undefined ? without(search, 'effort') : { ...search, effort })}
        />
        {isSearch ? (
          <Searching search={search} onGo={go} />
        ) : (
          <Thread
            search={search}
            answer={answer}
            onStart={start}
            onAsk={(asked) => void ask(asked)}
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

/** The current answer, the follow-up form, and the earlier questions. */
function Thread({
  search,
  answer,
  onStart,
  onAsk,
  onGo,
}: {
  search: AskSearch
  answer: AnswerState | null
  onStart: (question: string) => void
  onAsk: (asked: Asked) => void
  onGo: (search: AskSearch) => void
}) {
  const thread = useThread(search.thread)
  const isThorough = useIsThorough(search)
  const turns = thread.data?.turns ?? NO_TURNS
  const live = withFeedback(answer, turns)
  const conversation = conversationOf(turns, live)
  const followUp = (question: string): void => {
    onGo({ ...atFirst(search), q: question })
    onAsk({ question, conversation, thread: search.thread, isThorough })
  }
  const earlier = (shown: readonly Turn[]) =>
    search.thread !== undefined && <EarlierTurns threadId={search.thread} turns={shown} thread={turns} />
  const isMissing = thread.error?.status === 404
  return (
    <>
      {live ? <AnswerView answer={live} onAgain={() => onAsk(live)} /> : earlier(turns.slice(-1))}
      {live === null && (search.thread === undefined || isMissing) && (
        <SharedQuestion search={search} onAsk={onStart} />
      )}
      {conversation.length > 0 && <FollowUpForm key={conversation.length} onAsk={followUp} />}
      {search.q !== undefined && (
        <CallPanel
          call={{
            route: 'ask',
            body: askRequestOf({
              question: search.q,
              conversation: live?.conversation ?? conversationOfLink(search),
              isThorough,
            }),
          }}
        />
      )}
      {thread.error && !isMissing && <ErrorNotice error={thread.error} />}
      {earlier(live ? turns.filter(({ id }) => id !== live.saved?.turn.id) : turns.slice(0, -1))}
      <OpenSource search={search} answered={answeredIn(search, live, turns)} onGo={onGo} />
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
    await navigate({
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

/** The conversation of a follow-up: the stored thread, or the answer that could not be stored. Empty without either. */
function conversationOf(turns: readonly Turn[], live: AnswerState | null): Conversation {
  if (live !== null && live.saved === null) return live.saveError === null ? [] : conversationAfter(live)
  return turns
    .filter(({ withheld }) => !withheld)
    .slice(-CONVERSATION_MAX)
    .map(({ question, answer }) => ({ question, answer }))
}

/** Adds the stored feedback to the current answer. */
function withFeedback(answer: AnswerState | null, turns: readonly Turn[]): AnswerState | null {
  const stored = turns.find(({ id }) => id === answer?.saved?.turn.id)
  return answer?.saved && stored ? { ...answer, saved: { ...answer.saved, turn: stored } } : answer
}

function Actions({ thread }: { thread: string | undefined }) {
  const { error } = useThread(thread)
  if (thread === undefined) return null
  return (
    <Group gap="sm">
      {error?.status !== 404 && <DeleteThread id={thread} />}
      <ButtonLink to="/ask" variant="default">
        New thread
      </ButtonLink>
    </Group>
  )
}

/** Ignores the URL's `effort` if the service has no language model, which thorough answers need. */
function useIsThorough({ effort }: AskSearch): boolean {
  const { config } = useConsole()
  return config.hasLanguageModel && effort === 'high'
}

/** Answers read the whole memory, so the answer mode drops the filters. */
function withMode(search: AskSearch, mode: AskSearch['mode']): AskSearch {
  return mode === undefined ? without(withoutFilter(atFirst(search)), 'mode') : { ...atFirst(search), mode }
}

/** The search parameters without those of the previous results. */
function atFirst(search: AskSearch): AskSearch {
  return without(search, 'all', 'item', 'at', 'mention', 'turn', 'after')
}
