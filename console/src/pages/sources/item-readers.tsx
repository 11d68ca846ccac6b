import { List, Text } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Reading } from '../../ui/reading.tsx'
import { describeReader } from './reader-words.ts'
import { useItemReaders } from './use-readers.ts'

/** The readers in the item's access policy, and whether the workspace applies it. */
export function ItemReaders({
  itemId,
  isTitled = true,
}: {
  itemId: string
  /** Otherwise what holds it has the title. */
  isTitled?: boolean
}) {
  const readers = useItemReaders(itemId)
  return (
    <section aria-label="Readers">
      {isTitled && (
        <Text fw={560} mb="xs">
          Who may read it
        </Text>
      )}
      <EveryMember />
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

/** While permissions are off, the policy applies only to requests that name a person. */
function EveryMember() {
  const { organization } = useWorkspace()
  if (organization.permissions !== 'off') return null
  return (
    <>
      <Text size="sm" mb="xs">
        Every member of this workspace: permissions are off.
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        On behalf of a person, and once{' '}
        <TextLink to="/settings" hash="permissions" inherit underline="always">
          permissions are enforced
        </TextLink>
        :
      </Text>
    </>
  )
}
