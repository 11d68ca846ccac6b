import { Alert, Button, Stack, Text } from '@mantine/core'
import {
  Pause,
  Pencil,
  Play,
  Plus,
  RefreshCw,
  Send,
  Trash2,
  TriangleAlert,
  Webhook as Icon,
} from 'lucide-react'
import { useState } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { Status } from '../../ui/status.tsx'
import { DeliveriesDrawer } from './deliveries-drawer.tsx'
import { useSwitchWebhook, useTestWebhook, useWebhooks, type Webhook } from './use-webhooks.ts'
import { WebhookDialog } from './webhook-dialog.tsx'
import { DeleteWebhookDialog, RotateWebhookDialog } from './webhook-questions.tsx'
import { describeWebhook } from './webhook-words.ts'

type Open =
  | { is: 'form'; webhook: Webhook | null }
  | { is: 'rotate' | 'delete' | 'deliveries'; webhook: Webhook }

export function WebhooksPanel() {
  const webhooks = useWebhooks()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const of = (is: Open['is']): Webhook | null => (open?.is === is ? open.webhook : null)
  const create = (): void => setOpen({ is: 'form', webhook: null })
  return (
    <Panel
      title="Webhooks"
      text="Notify your servers when a source fails, credits run low or a key is created."
      isFlush
      action={
        <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={create}>
          Add a webhook
        </Button>
      }
    >
      <Reading query={webhooks}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={Icon}
              title="No webhooks yet"
              text="Events are signed (Standard Webhooks) and retried for three days."
            />
          ) : (
            <WebhookList webhooks={rows} onOpen={setOpen} />
          )
        }
      </Reading>
      <WebhookDialog isOpen={open?.is === 'form'} webhook={of('form')} onClose={close} />
      <RotateWebhookDialog webhook={of('rotate')} onClose={close} />
      <DeleteWebhookDialog webhook={of('delete')} onClose={close} />
      <DeliveriesDrawer webhook={of('deliveries')} onClose={close} />
    </Panel>
  )
}

function WebhookList({ webhooks, onOpen }: { webhooks: readonly Webhook[]; onOpen: (open: Open) => void }) {
  const test = useTestWebhook()
  const change = useSwitchWebhook()
  const error = test.error ?? change.error
  const sendTest = (webhook: Webhook): void =>
    test.mutate(webhook.id, { onSuccess: () => onOpen({ is: 'deliveries', webhook }) })
  return (
    <>
      <Stack gap="xs" px="lg" pt={error || webhooks.some(({ notice }) => notice !== null) ? 'sm' : 0}>
        {error && <ErrorNotice error={error} />}
        {webhooks.flatMap(({ id, url, notice }) =>
          notice === null ? [] : [<WebhookNotice key={id} url={url} notice={notice} />],
        )}
      </Stack>
      <DataTable
        label="Webhooks"
        rows={webhooks}
        rowKey={({ id }) => id}
        columns={[
          { label: 'Address', cell: (webhook) => <Address webhook={webhook} /> },
          {
            label: 'Events',
            cell: ({ eventTypes }) =>
              eventTypes === null ? 'Every event' : count(eventTypes.length, 'event'),
          },
          {
            label: 'State',
            cell: (webhook) => {
              const { tone, word } = describeWebhook(webhook)
              return <Status tone={tone}>{word}</Status>
            },
          },
          {
            label: 'Deliveries',
            isAction: true,
            cell: (webhook) => (
              <Button
                size="xs"
                variant="default"
                aria-label={`See deliveries to ${hostOf(webhook.url)}`}
                onClick={() => onOpen({ is: 'deliveries', webhook })}
              >
                See deliveries
              </Button>
            ),
          },
          {
            label: 'Actions',
            isAtEnd: true,
            isAction: true,
            cell: (webhook) => (
              <WebhookMenu
                webhook={webhook}
                onOpen={onOpen}
                onTest={() => sendTest(webhook)}
                onSwitch={(status) => change.mutate({ id: webhook.id, status })}
              />
            ),
          },
        ]}
      />
    </>
  )
}

function WebhookNotice({ url, notice }: { url: string; notice: string }) {
  return (
    <Alert color="orange" icon={<TriangleAlert size={18} aria-hidden />} title={hostOf(url)} role="status">
      {notice}
    </Alert>
  )
}

function Address({ webhook: { url, description } }: { webhook: Webhook }) {
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      {url}
      {description !== null && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
    </div>
  )
}

function WebhookMenu({
  webhook,
  onOpen,
  onTest,
  onSwitch,
}: {
  webhook: Webhook
  onOpen: (open: Open) => void
  onTest: () => void
  onSwitch: (status: Webhook['status']) => void
}) {
  const isActive = webhook.status === 'active'
  return (
    <RowMenu
      of={hostOf(webhook.url)}
      actions={[
        {
          label: 'Send a test event',
          icon: Send,
          onChoose: onTest,
          ...(isActive ? {} : { disabledBecause: 'Enable the webhook first.' }),
        },
        { label: 'Edit', icon: Pencil, onChoose: () => onOpen({ is: 'form', webhook }) },
        isActive
          ? { label: 'Pause', icon: Pause, onChoose: () => onSwitch('disabled') }
          : { label: 'Enable', icon: Play, onChoose: () => onSwitch('active') },
        { label: 'Rotate secret', icon: RefreshCw, onChoose: () => onOpen({ is: 'rotate', webhook }) },
        { label: 'Delete', icon: Trash2, isGrave: true, onChoose: () => onOpen({ is: 'delete', webhook }) },
      ]}
    />
  )
}

/** Only the host: the rest of the URL may contain a secret. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
