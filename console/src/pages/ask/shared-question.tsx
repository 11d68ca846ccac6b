import { Alert, Button, Text } from '@mantine/core'
import { Link } from 'lucide-react'
import type { AskSearch } from './ask-search.ts'

/** A question in the URL that the user has not asked yet. It costs a credit, so only a click asks it. */
export function SharedQuestion({
  search: { q, after, thread },
  onAsk,
}: {
  search: AskSearch
  onAsk: (question: string) => void
}) {
  if (q === undefined && thread === undefined) return null
  return (
    <Alert
      color="gray"
      icon={<Link size={18} aria-hidden />}
      title={q === undefined ? 'Only its author can open this thread' : 'No answer yet'}
      role="status"
    >
      {q === undefined ? (
        <Text size="sm">It may also have been deleted. Ask its author for a link to the question.</Text>
      ) : (
        <>
          <Text size="sm">
            The link contains the question, not the answer. Your answer uses only what you may read.
          </Text>
          {after !== undefined && (
            <Text size="sm">Asked after: {after.map((one) => `“${one}”`).join(', ')}</Text>
          )}
          <Button variant="default" size="xs" mt="sm" onClick={() => onAsk(q)}>
            Ask this question
          </Button>
        </>
      )}
    </Alert>
  )
}
