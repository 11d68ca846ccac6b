import { List, Text } from '@mantine/core'
import { Reading } from '../../ui/reading.tsx'
import { PermissionsOff } from './permissions-off.tsx'
import { describeReader } from './reader-words.ts'
import { useItemReaders } from './use-readers.ts'

/** The readers in the item's access policy, unless the workspace does not enforce permissions. */
export function ItemReaders({ itemId }: { itemId: string }) {
  const readers = useItemReaders(itemId)
  return (
    <section aria-label="Readers">
      <Text fw={560} mb="xs">
        Who may read it
      </Text>
      <PermissionsOff />
      <Reading query={readers}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nobody: it has no access policy that names anybody.
            </Text>
          ) : (
            <List size="sm">
              {rows.map((reader) => (
                <List.Item key={`${reader.kind} ${reader.name ?? ''} ${reader.denied}`}>
                  {describeReader(reader)}
                </List.Item>
              ))}
            </List>
          )
        }
      </Reading>
    </section>
  )
}
