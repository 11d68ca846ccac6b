import { Button, Group, Text } from '@mantine/core'
import { CircleStop, Square, TriangleAlert } from 'lucide-react'
import type { ApiError } from '../../api/errors.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { count } from '../../ui/format.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { useIsSlow } from '../../ui/use-is-slow.ts'
import { useConsole } from '../../session/context.tsx'
import { answerToShare } from './answer-to-share.ts'
import classes from './answer-view.module.css'
import { AskError } from './ask-error.tsx'
import { CopyLink } from './copy-link.tsx'
import { FeedbackButtons } from './feedback.tsx'
import { citedIn, withMarkers } from './marker.tsx'
import { Note } from './note.tsx'
import { PassageList } from './passage-list.tsx'
import { PermissionsHint } from './permissions-hint.tsx'
import { Steps } from './steps.tsx'
import { TurnHead } from './turn-head.tsx'
import type { AnswerState } from './use-answer.ts'

/** A streaming or complete answer with its citations. A warning about weak evidence comes first. */
export function AnswerView({
  answer,
  onAgain,
  onStop,
}: {
  answer: AnswerState
  onAgain: () => void
  onStop: () => void
}) {
  const { config } = useConsole()
  const { phase, text, context, limitations } = answer
  const isRunning = phase === 'reading' || phase === 'writing'
  const weak = limitations.find(({ code }) => code === 'weak_evidence' || code === 'nothing_cited')
  const truncated = limitations.find(({ code }) => code === 'answer_truncated')
  const others = limitations.filter((limitation) => limitation !== weak && limitation !== truncated)
  const isSlow = useIsSlow(phase === 'reading') || answer.steps.length > 0
  const cited = citedIn(text, context)
  return (
    <div className={classes.answer} data-evidence={weak ? 'weak' : 'strong'}>
      <Panel label="Answer">
        <TurnHead
          question={answer.question}
          {...(weak || phase !== 'whole'
            ? {}
            : { text: evidenceInWords(cited.length, config.hasLanguageModel) })}
          action={<Actions answer={answer} isRunning={isRunning} onStop={onStop} />}
        />
        {weak && (
          <Note
            icon={<TriangleAlert size={18} aria-hidden />}
            title="Weak evidence"
            text={`${weak.message}.`}
          />
        )}
        {phase === 'whole' && (weak || cited.length === 0) && <PermissionsHint />}
        {others.map(({ code, message }) => (
          <Note key={code} icon={<TriangleAlert size={18} aria-hidden />} title={message} />
        ))}
        <Steps answer={answer} />
        <div className={classes.text} data-answer aria-live="polite" aria-busy={isRunning}>
          {text === '' && isRunning ? (
            isSlow && <LinesSkeleton />
          ) : (
            <Markdown text={text} renderText={(piece) => withMarkers(piece, { passages: context, cited })} />
          )}
        </div>
        <div className={classes.ending} aria-live="polite">
          {truncated && <Note icon={<TriangleAlert size={18} aria-hidden />} title={truncated.message} />}
        </div>
        {phase === 'stopped' && <Stopped hasText={text !== ''} onAgain={onAgain} />}
        {answer.error && <AskError error={answer.error} onAgain={onAgain} />}
        {answer.saveError && <SaveError error={answer.saveError} />}
        {answer.saved && <FeedbackButtons threadId={answer.saved.id} turn={answer.saved.turn} />}
        <PassageList
          passages={context}
          cited={cited}
          isDone={!isRunning}
          otherLabel={weak ? 'The closest passages' : 'Also read'}
        />
      </Panel>
    </div>
  )
}

/** Stops a running answer, and shares a complete one. */
function Actions({
  answer: { phase, question, conversation, isThorough, text, context },
  isRunning,
  onStop,
}: {
  answer: AnswerState
  isRunning: boolean
  onStop: () => void
}) {
  if (isRunning)
    return (
      <Button variant="default" size="xs" leftSection={<Square size={13} aria-hidden />} onClick={onStop}>
        Stop
      </Button>
    )
  if (phase !== 'whole') return null
  return (
    <Group gap="xs">
      <CopyLink
        question={question}
        earlier={conversation.map((one) => one.question)}
        isThorough={isThorough}
        isLabeled
      />
      <CopyButton value={answerToShare(text, context)} label="Copy the answer" isLabeled />
    </Group>
  )
}

function SaveError({ error }: { error: ApiError }) {
  return (
    <Text size="sm" c="dimmed" mt="md" role="status">
      This answer was not saved in your threads: {error.message}
    </Text>
  )
}

function evidenceInWords(sources: number, hasLanguageModel: boolean): string {
  if (sources === 0) return 'No citations.'
  const passages = count(sources, 'passage')
  return hasLanguageModel ? `Cites ${passages}.` : `Quoted from ${passages}; no language model is set up.`
}

function Stopped({ hasText, onAgain }: { hasText: boolean; onAgain: () => void }) {
  return (
    <Group gap="sm" mt="md">
      <CircleStop size={16} aria-hidden />
      <Text size="sm" role="status">
        {hasText
          ? 'You stopped this answer. It is incomplete and costs 1 credit.'
          : 'You stopped before the first word.'}
      </Text>
      <Button variant="default" size="compact-sm" onClick={onAgain}>
        Ask again
      </Button>
    </Group>
  )
}
