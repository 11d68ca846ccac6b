import { type ReactNode, useEffect, useRef } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { AnswerView } from './answer-view.tsx'
import { type AskSearch, atFirst } from './ask-search.ts'
import { CallPanel } from './call-panel.tsx'
import { EarlierTurns } from './earlier-turns.tsx'
import { FollowUpForm } from './follow-up-form.tsx'
import { answeredIn, OpenSource } from './open-source.tsx'
import { conversationOfLink } from './question-link.ts'
import { SharedQuestion } from './shared-question.tsx'
import classes from './thread-view.module.css'
import { askRequestOf, type Asked } from './use-answer.ts'
import type { ShownThread } from './use-shown-thread.ts'
import { useThread } from './use-threads.ts'

/** The questions of a thread with their answers, oldest first, and the follow-up form. */
export function ThreadView({
  search,
  shown: { live, before, after, turns, conversation, isLoading, isMissing },
  isThorough,
  options,
  onStart,
  onAsk,
  onStop,
  onGo,
}: {
  search: AskSearch
  shown: ShownThread
  isThorough: boolean
  /** The options of every question, for the follow-up form. */
  options: ReactNode
  onStart: (question: string) => void
  onAsk: (asked: Asked) => void
  onStop: () => void
  onGo: (search: AskSearch) => void
}) {
  const { error } = useThread(search.thread)
  const earlier = live === null ? before.slice(0, -1) : before
  const followUp = (question: string): void => {
    onGo({ ...atFirst(search), q: question })
    onAsk({ question, conversation: conversation ?? [], thread: search.thread, isThorough })
  }
  const stored = (part: typeof turns) =>
    search.thread !== undefined && <EarlierTurns threadId={search.thread} turns={part} thread={turns} />
  return (
    <>
      {isLoading && (
        <Panel label="Thread">
          <LinesSkeleton />
        </Panel>
      )}
      {stored(earlier)}
      {(live !== null || before.length > 0) && (
        <Latest key={live?.question} hasEarlier={earlier.length > 0} isNew={live !== null}>
          {live ? (
            <AnswerView answer={live} onAgain={() => onAsk(live)} onStop={onStop} />
          ) : (
            stored(before.slice(-1))
          )}
        </Latest>
      )}
      {stored(after)}
      {live === null && (search.thread === undefined || isMissing) && (
        <SharedQuestion search={search} onAsk={onStart} />
      )}
      {error && !isMissing && <ErrorNotice error={error} />}
      {conversation !== null && (
        <FollowUpForm isFocused={search.item === undefined} options={options} onAsk={followUp} />
      )}
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
      <OpenSource search={search} answered={answeredIn(search, live, turns)} onGo={onGo} />
    </>
  )
}

/** The current question, or a stored thread's last one. Scrolls to it when earlier ones are above it. */
function Latest({
  hasEarlier,
  isNew,
  children,
}: {
  hasEarlier: boolean
  /** Asked on this page: it scrolls to the top before its answer has come. */
  isNew: boolean
  children: ReactNode
}) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (hasEarlier) place.current?.scrollIntoView()
  }, [hasEarlier])
  return (
    <div ref={place} className={classes.latest} data-tall={hasEarlier && isNew}>
      {children}
    </div>
  )
}
