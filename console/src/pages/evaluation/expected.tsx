import { isId } from '../../data/ids.ts'
import { Text } from '@mantine/core'
import { useSourceItem } from '../../data/use-source-item.ts'
import { TextLink } from '../../ui/links.tsx'
import type { Question } from './use-evaluation.ts'

/** The expected page and fact of a question, in one line. Renders nothing without either. */
export function Expected({ of: { page, fact } }: { of: Pick<Question, 'page' | 'fact'> }) {
  if (page === null && fact === null) return null
  return (
    <Text size="sm" c="dimmed" fw={400} component="div">
      {page !== null && <>Page: {isId(page) ? <ItemTitle id={page} /> : page}</>}
      {page !== null && fact !== null && ' · '}
      {fact !== null && `Fact: ${fact}`}
    </Text>
  )
}

/** The item's title, or a generic text if the user can't read it. */
function ItemTitle({ id }: { id: string }) {
  const item = useSourceItem(id)
  if (item.data === undefined) return item.error ? "An item that you can't read" : 'A stored item'
  return (
    <TextLink to="/sources/items" search={{ item: id }} inherit>
      {item.data.title || item.data.externalId}
    </TextLink>
  )
}
