import { Anchor, Group, Text } from '@mantine/core'
import type { Turn } from './use-answer.ts'

/** The questions before a follow-up, oldest first, each a way back to its answer. */
export function EarlierQuestions({
  conversation,
  onChoose,
}: {
  conversation: readonly Turn[]
  onChoose: (question: string) => void
}) {
  if (conversation.length === 0) return null
  return (
    <nav aria-label="Conversation">
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          Follow-up to
        </Text>
        {conversation.map(({ question }, at) => (
          // The same question can be asked twice.
          // oxlint-disable-next-line react/no-array-index-key
          <Anchor key={at} component="button" type="button" size="sm" onClick={() => onChoose(question)}>
            {question}
          </Anchor>
        ))}
      </Group>
    </nav>
  )
}
