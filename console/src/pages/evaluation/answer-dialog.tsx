import { List, Modal, Stack, Text } from '@mantine/core'
import { TextLink } from '../../ui/links.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Reading } from '../../ui/reading.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { Expected } from './expected.tsx'
import { type Result, useStoredAnswer } from './use-evaluation.ts'

/** The answer to a question in a run, with the items that it cites. */
export function AnswerDialog({
  runId,
  result,
  onClose,
}: {
  runId: string
  result: Result
  onClose: () => void
}) {
  useReturnFocus()
  const stored = useStoredAnswer(runId, result.questionId)
  return (
    <Modal opened onClose={onClose} size="lg" title={result.question}>
      <Stack>
        <Expected of={result} />
        <Reading query={stored}>
          {({ answer, citations, withheld }) =>
            withheld ? (
              <Text c="dimmed">
                This answer is hidden: a document that it is made from was deleted, or you may not read it.
              </Text>
            ) : (
              <>
                <Markdown text={answer} />
                {citations.length > 0 && (
                  <List type="ordered" size="sm" aria-label="Citations" withPadding>
                    {citations.map(({ index, title, sourceItemId }) => (
                      <List.Item key={index} value={index}>
                        <TextLink to="/sources/items" search={{ item: sourceItemId }}>
                          {title || 'Untitled'}
                        </TextLink>
                      </List.Item>
                    ))}
                  </List>
                )}
              </>
            )
          }
        </Reading>
      </Stack>
    </Modal>
  )
}
