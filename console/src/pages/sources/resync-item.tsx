import { Button, Group, Text } from '@mantine/core'
import { providerName } from '../../api/provider-list.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { TextLink } from '../../ui/links.tsx'
import { isPushOnly, nameOf, type Source } from './source-words.ts'
import { useStartRun } from './use-source-changes.ts'
import { useSources } from './use-sources.ts'

/** Reads an item again, by a sync of its source: providers list changes and offer no single item. */
export function ResyncItem({ sourceId }: { sourceId: string }) {
  const sources = useSources()
  const source = sources.data?.find(({ id }) => id === sourceId)
  if (source === undefined) return null
  if (isPushOnly(source))
    return (
      <Text size="sm" c="dimmed">
        It was pushed or imported. Push or import it again to change it.
      </Text>
    )
  return <Resync source={source} />
}

function Resync({ source }: { source: Source }) {
  const start = useStartRun(source.id)
  const provider = providerName(source.provider) ?? source.provider
  return (
    <section aria-label="Sync again">
      <Text fw={560} mb="xs">
        Sync again
      </Text>
      <Text size="sm" mb="xs">
        {`One item of ${provider} can't be synced alone. A sync of its source reads what changed; a full sync reads every item again.`}
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={start.isPending}
          onClick={() => start.mutate({ fullResync: false })}
        >
          Sync the source
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={start.isPending}
          onClick={() => start.mutate({ fullResync: true })}
        >
          Full sync
        </Button>
        <span role="status">
          {start.isSuccess && (
            <Text size="sm" component="span">
              A sync is queued or running:{' '}
              <TextLink to="/sources/$sourceId" params={{ sourceId: source.id }}>
                {nameOf(source)}
              </TextLink>
            </Text>
          )}
        </span>
      </Group>
      {start.error && <ErrorNotice error={start.error} />}
    </section>
  )
}
