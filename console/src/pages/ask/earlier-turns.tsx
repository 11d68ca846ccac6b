import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { Markdown } from '../../ui/markdown.tsx'
import { Panel } from '../../ui/panel.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { answerToShare } from './answer-to-share.ts'
import classes from './earlier-turns.module.css'
import { CopyLink } from './copy-link.tsx'
import { FeedbackButtons } from './feedback.tsx'
import { citedIn, type Passages, withMarkers } from './marker.tsx'
import { TurnHead } from './turn-head.tsx'
import type { Turn } from './use-threads.ts'

/** Some questions of a thread with their answers, oldest first. */
export function EarlierTurns({
  threadId,
  turns,
  thread,
}: {
  threadId: string
  turns: readonly Turn[]
  /** All questions of the thread, oldest first. */
  thread: readonly Turn[]
}) {
  return turns.map((turn) => (
    <Panel key={turn.id}>
      <TurnHead
        question={turn.question}
        text={<RelativeTime at={turn.createdAt} />}
        action={
          <>
            <CopyLink
              question={turn.question}
              earlier={thread.slice(0, thread.indexOf(turn)).map(({ question }) => question)}
            />
            {!turn.withheld && (
              <CopyButton
                value={answerToShare(turn.answer, citedPassagesOf(turn))}
                label={`Copy the answer to: ${turn.question}`}
              />
            )}
          </>
        }
      />
      {turn.withheld ? (
        <Text c="dimmed">
          This answer is hidden: a document that it cites was deleted, or you may no longer read it. Ask again
          for an answer from what you may read now.
        </Text>
      ) : (
        <>
          <Answer turn={turn} />
          <FeedbackButtons threadId={threadId} turn={turn} />
        </>
      )}
    </Panel>
  ))
}

/** The text of an answer, then the titles of the cited documents after their markers. */
function Answer({ turn: { id, answer, citations } }: { turn: Turn }) {
  const passages = citedPassagesOf({ citations })
  const cited = citedIn(answer, passages)
  const citing = { passages, cited, turn: id }
  return (
    <>
      <div className={classes.text} data-answer>
        <Markdown text={answer} renderText={(piece) => withMarkers(piece, citing)} />
      </div>
      <Text size="sm" c="dimmed" mt="sm">
        {cited.map((number, place) => (
          <Fragment key={number}>
            {place > 0 && ' · '}
            {withMarkers(`[${number}]`, citing)} {passages[number - 1]?.title}
          </Fragment>
        ))}
      </Text>
    </>
  )
}

/** The cited passages of a stored answer by marker number. Their text loads when one is opened. */
export function citedPassagesOf({ citations }: Pick<Turn, 'citations'>): Passages {
  const passages: (Passages[number] | undefined)[] = []
  for (const { index, sourceItemId, title, url = '' } of citations)
    passages[index - 1] = { sourceItemId, title, content: '', url, provider: '' }
  return passages
}
