import { Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MessageCircleQuestionMark } from 'lucide-react'
import { useWorkspace } from '../../session/workspace.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AnswerView } from './answer-view.tsx'
import { type AskSearch, searchRequestOf, without, withoutFilter } from './ask-search.ts'
import { CallPanel } from './call-panel.tsx'
import { EarlierQuestions } from './earlier-questions.tsx'
import { Filters } from './filters.tsx'
import { FollowUpForm } from './follow-up-form.tsx'
import type { Passage } from './marker.tsx'
import { QuestionForm } from './question-form.tsx'
import { useRecentQuestions } from './recent-questions.ts'
import { Recents } from './recents.tsx'
import { SearchResults, useSearchResults } from './search-results.tsx'
import { SourcePanel } from './source-panel.tsx'
import { askRequestOf, conversationAfter, type Turn, useAnswer } from './use-answer.ts'

/** A question, and its cited answer or what a search finds. The address has all of it but the answer. */
export function AskPage() {
  const { organization } = useWorkspace()
  const search = useSearch({ from: '/ask' })
  const navigate = useNavigate({ from: '/ask' })
  const recents = useRecentQuestions(organization.id)
  const { answer, ask, stop } = useAnswer(search.q)
  const results = useSearchResults(search)
  const isSearch = search.mode === 'search'
  const passages: readonly Passage[] = isSearch ? (results.data?.hits ?? []) : (answer?.context ?? [])
  const go = (next: AskSearch): void => void navigate({ search: next, resetScroll: false })
  const start = (question: string, conversation?: readonly Turn[]): void => {
    recents.remember(question)
    go({ ...atFirst(search), q: question })
    if (!isSearch) void ask(question, conversation)
  }
  const isRunning = !isSearch && (answer?.phase === 'reading' || answer?.phase === 'writing')
  return (
    <>
      <PageHeader title="Ask" text="Answers cite their sources. An answer or a search costs one credit." />
      <Stack gap="lg">
        <QuestionForm
          search={search}
          isRunning={isRunning}
          onAsk={(question) => start(question)}
          onStop={stop}
          onMode={(mode) => go(withMode(search, mode))}
        />
        {isSearch && <Filters search={search} onChange={(next) => go(atFirst(next))} />}
        {isSearch && search.q !== undefined && (
          <SearchResults
            search={search}
            query={results}
            onAll={() => go({ ...atFirst(search), all: true })}
            onUnfiltered={() => go(withoutFilter(atFirst(search)))}
          />
        )}
        {!isSearch && answer && (
          <>
            <EarlierQuestions
              conversation={answer.conversation}
              onChoose={(question) => go({ ...atFirst(search), q: question })}
            />
            <AnswerView answer={answer} onAgain={() => void ask(answer.question, answer.conversation)} />
            {answer.phase === 'whole' && (
              <FollowUpForm
                key={answer.question}
                onAsk={(question) => start(question, conversationAfter(answer))}
              />
            )}
          </>
        )}
        {search.q !== undefined && <CallPanel call={callOf(search, search.q, answer?.conversation)} />}
        {((!isSearch && answer === null) || search.q === undefined) && (
          <Start
            questions={recents.questions}
            onChoose={(question) => start(question)}
            onForget={recents.forget}
          />
        )}
      </Stack>
      <SourcePanel
        itemId={search.item}
        passage={passageAt(passages, search)}
        onClose={() => go(without(search, 'item', 'at'))}
      />
    </>
  )
}

function Start(props: Parameters<typeof Recents>[0]) {
  if (props.questions.length > 0) return <Recents {...props} />
  return (
    <EmptyState
      icon={MessageCircleQuestionMark}
      title="Ask what your documents know"
      text="Use your own words. Answers come only from documents of this workspace."
    />
  )
}

function callOf(
  search: AskSearch,
  query: string,
  conversation: readonly Turn[] = [],
): Parameters<typeof CallPanel>[0]['call'] {
  return search.mode === 'search'
    ? { route: 'search', body: searchRequestOf(search) }
    : { route: 'ask', body: askRequestOf(query, conversation) }
}

/** Filters are of searches: an answer reads the whole memory. */
function withMode(search: AskSearch, mode: AskSearch['mode']): AskSearch {
  return mode === undefined ? without(withoutFilter(atFirst(search)), 'mode') : { ...atFirst(search), mode }
}

/** The address without what belonged to the results before. */
function atFirst(search: AskSearch): AskSearch {
  return without(search, 'all', 'item', 'at')
}

/** The passage of the open item: the one that was opened, as long as the list has it there. */
function passageAt(passages: readonly Passage[], { item, at }: AskSearch): Passage | undefined {
  const passage = at === undefined ? undefined : passages[at - 1]
  return passage?.sourceItemId === item ? passage : undefined
}
