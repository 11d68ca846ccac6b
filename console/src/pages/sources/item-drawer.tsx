import { Button, Code, Drawer, Group, Spoiler, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ItemGone } from '../../ui/item-gone.tsx'
import { ItemOrigin } from '../../ui/item-origin.tsx'
import { MailHead } from '../../ui/mail-head.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDateTime } from '../../ui/relative-time.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useSourceItem } from '../../data/use-source-item.ts'
import classes from './item-drawer.module.css'
import { StoredText } from '../ask/stored-text.tsx'
import { ItemChunks } from './item-chunks.tsx'
import { ItemReaders } from './item-readers.tsx'
import { DeleteItemDialog } from './delete-item-dialog.tsx'
import { useCanSync, useSyncItem } from './use-items.ts'

const FOLDED_PX = 420

/** A stored item with its text and origin and, for admins, a delete button. */
export function ItemDrawer({
  itemId,
  onDeleted,
  onClose,
}: {
  itemId: string
  onDeleted: (words: string) => void
  onClose: () => void
}) {
  useReturnFocus()
  const item = useSourceItem(itemId)
  const sync = useSyncItem()
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="min(44rem, 100%)">
      <Drawer.Overlay />
      <Drawer.Content>
        {/* Without the role it would be a second banner landmark. */}
        <Drawer.Header role="presentation">
          <Drawer.Title className={classes.title ?? ''}>
            {item.data?.title || item.data?.externalId || 'Stored item'}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close the item" />
        </Drawer.Header>
        <Drawer.Body>
          {sync.data?.outcome === 'deleted' ? (
            <Text role="status">{sync.words}</Text>
          ) : item.error?.status === 404 ? (
            <ItemGone />
          ) : (
            <Reading query={item}>
              {(found) => (
                <Item
                  item={found}
                  sync={sync}
                  onDeleted={(words) => {
                    onDeleted(words)
                    onClose()
                  }}
                />
              )}
            </Reading>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

function Item({
  item,
  sync,
  onDeleted,
}: {
  item: Schemas['SourceItem']
  sync: ReturnType<typeof useSyncItem>
  onDeleted: (words: string) => void
}) {
  const { isAdmin } = useWorkspace()
  const [isAsked, asking] = useDisclosure(false)
  const canSync = useCanSync()
  return (
    <Stack gap="lg">
      <ItemOrigin provider={item.provider} url={item.url} item={item} />
      {sync.error && <ErrorNotice error={sync.error} />}
      {isAdmin && (
        <Group>
          {canSync(item) && (
            <Button size="xs" variant="default" loading={sync.isPending} onClick={() => sync.mutate(item.id)}>
              Sync again
            </Button>
          )}
          <Button size="xs" variant="default" className={classes.danger ?? ''} onClick={asking.open}>
            Delete this item
          </Button>
          <Text component="span" size="sm" c="dimmed" role="status">
            {sync.words}
          </Text>
        </Group>
      )}
      <MailHead item={item} />
      <section aria-label="Text">
        {item.body === '' ? (
          <Text c="dimmed">No text.</Text>
        ) : (
          <Spoiler maxHeight={FOLDED_PX} showLabel="Show all of the text" hideLabel="Show less">
            <StoredText item={item} passage="" answer={null} at={undefined} />
          </Spoiler>
        )}
      </section>
      <ItemChunks itemId={item.id} />
      {isAdmin && <ItemReaders itemId={item.id} />}
      <Details item={item} />
      <DeleteItemDialog item={item} isOpen={isAsked} onDeleted={onDeleted} onClose={asking.close} />
    </Stack>
  )
}

/** The item's data for programs. */
function Details({ item }: { item: Schemas['SourceItem'] }) {
  const { sourceCreatedAt, updatedAt, syncedAt, externalId, metadata } = item
  return (
    <section aria-label="Details">
      <Text fw={560} mb="xs">
        Details
      </Text>
      <dl className={classes.facts}>
        {sourceCreatedAt !== null && (
          <>
            <dt>Created</dt>
            <dd>{formatDateTime(sourceCreatedAt)}</dd>
          </>
        )}
        <dt>Stored</dt>
        <dd>{formatDateTime(updatedAt)}</dd>
        <dt>Last confirmed</dt>
        <dd>{formatDateTime(syncedAt)}</dd>
        <dt>External ID</dt>
        <dd className={classes.id}>
          <Code>{externalId}</Code>
          <CopyButton value={externalId} label="Copy the external ID" />
        </dd>
      </dl>
      {Object.keys(metadata).length > 0 && (
        <>
          <Text size="sm" c="dimmed" mt="sm" mb="xs">
            Metadata
          </Text>
          <Code block className={classes.metadata ?? ''} tabIndex={0}>
            {JSON.stringify(metadata, null, 2)}
          </Code>
        </>
      )}
    </section>
  )
}
