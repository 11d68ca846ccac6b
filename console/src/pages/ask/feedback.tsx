import { Button, Group, Text } from '@mantine/core'
import { FileQuestionMark, ListPlus, ThumbsDown, ThumbsUp } from 'lucide-react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { type Feedback, type Turn, useAddToEvaluation, useRateTurn } from './use-threads.ts'

const CHOICES: readonly { id: Feedback; label: string; icon: typeof ThumbsUp }[] = [
  { id: 'useful', label: 'Useful', icon: ThumbsUp },
  { id: 'wrong', label: 'Wrong', icon: ThumbsDown },
  { id: 'missing_source', label: 'Missing source', icon: FileQuestionMark },
]

/** Rates an answer. A second click removes the rating. */
export function FeedbackButtons({ threadId, turn }: { threadId: string; turn: Turn }) {
  const rate = useRateTurn(threadId, turn.id)
  const add = useAddToEvaluation(threadId, turn.id)
  const error = rate.error ?? add.error
  const change = (feedback: Feedback | null): void => {
    // Admins see the rating that was added, not this one.
    add.reset()
    rate.mutate(feedback)
  }
  return (
    <>
      <Group gap="xs" mt="md" role="group" aria-label="Feedback">
        {CHOICES.map(({ id, label, icon: Icon }) => {
          const isChosen = turn.feedback === id
          return (
            <Button
              key={id}
              size="compact-sm"
              variant={isChosen ? 'light' : 'default'}
              leftSection={<Icon size={14} aria-hidden />}
              aria-pressed={isChosen}
              onClick={() => change(isChosen ? null : id)}
            >
              {label}
            </Button>
          )
        })}
        {turn.feedback !== null && !add.isSuccess && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<ListPlus size={14} aria-hidden />}
            loading={add.isPending}
            disabled={rate.isPending}
            onClick={() => add.mutate()}
          >
            Add to evaluation
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {add.isSuccess
            ? 'Added. Admins see the question and the rating.'
            : turn.feedback === null
              ? ''
              : 'Recorded. Admins see it in the audit trail.'}
        </Text>
      </Group>
      {error && <ErrorNotice error={error} />}
    </>
  )
}
