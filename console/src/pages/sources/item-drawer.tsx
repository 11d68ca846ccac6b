import { Button, Code, Drawer, Group, Spoiler, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { MailHead } from '../../ui/mail-head.tsx'
import { Origin } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useSourceItem } from '../../data/use-source-item.ts'
import classes from './item-drawer.module.css'
import { StoredText } from '../ask/stored-text.tsx'
import { ItemChunks } from './item-chunks.tsx'
import { ItemReaders } from './item-readers.tsx'
import { KINDS } from './source-words.ts'
import { DeleteItemDialog } from './delete-item-dialog.tsx'
import { useCanSync, useSyncItem } from './use-items.ts'

const FOLDED_PX = 420

/** A stored item with its text and origin and, for admins, a delete button. */
export function ItemDrawer({ itemId, onClose }: { itemId: string; onClose: () => void }) {
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
          ) : (
            <Reading query={item}>{(found) => <Item item={found} sync={sync} onClose={onClose} />}</Reading>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

function Item({
  item,
  sync,
  onClose,
}: {
  item: Schemas['SourceItem']
  sync: ReturnType<typeof useSyncItem>
  onClose: () => void
}) {
  const { isAdmin } = useWorkspace()
  const [isAsked, asking] = useDisclosure(false)
  const canSync = useCanSync()
  const hasMetadata = Object.keys(item.metadata).length > 0
  return (
    <Stack gap="lg">
      <Facts item={item} />
      {sync.error && <ErrorNotice error={sync.error} />}
      {isAdmin && (
        <Group>
          {canSync(item) && (
            <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate(item.id)}>
              Sync again
            </Button>
          )}
          <Button variant="default" className={classes.danger ?? ''} onClick={asking.open}>
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
      {hasMetadata && (
        <section aria-label="Metadata">
          <Text fw={560} mb="xs">
            Metadata
          </Text>
          <Code block className={classes.metadata ?? ''} tabIndex={0}>
            {JSON.stringify(item.metadata, null, 2)}
          </Code>
        </section>
      )}
      <DeleteItemDialog item={item} isOpen={isAsked} onDeleted={onClose} onClose={asking.close} />
    </Stack>
  )
}

function Facts({ item }: { item: Schemas['SourceItem'] }) {
  return (
    <dl className={classes.facts}>
      <Fact name="From">
        <Origin item={item} />
      </Fact>
      <Fact name="Kind">{KINDS[item.sourceKind]}</Fact>
      {item.authorName !== null && <Fact name="Author">{item.authorName}</Fact>}
      {item.sourceCreatedAt !== null && (
        <Fact name="Created">
          <RelativeTime at={item.sourceCreatedAt} />
        </Fact>
      )}
      {item.sourceUpdatedAt !== null && (
        <Fact name="Changed">
          <RelativeTime at={item.sourceUpdatedAt} />
        </Fact>
      )}
      <Fact name="Stored">
        <RelativeTime at={item.syncedAt} />
      </Fact>
      {item.url !== null && (
        <Fact name="Original">
          <SourceLink href={item.url} plain={item.url}>
            Open it
          </SourceLink>
        </Fact>
      )}
      <Fact name="External ID">
        <span className={classes.id}>
          <Code>{item.externalId}</Code>
          <CopyButton value={item.externalId} label="Copy the external ID" />
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
