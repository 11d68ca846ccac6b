import { Button, Code, Drawer, SegmentedControl, Stack, Text } from '@mantine/core'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { DELIVERIES_KEPT_DAYS } from '../../../../src/kernel/retention.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Reading } from '../../ui/reading.tsx'
import { NextTime, RelativeTime } from '../../ui/relative-time.tsx'
import { Status } from '../../ui/status.tsx'
import { type Delivery, useDeliveries, useReplay, type Webhook } from './use-webhooks.ts'
import { describeAnswer, describeAttempts, describeDelivery } from './webhook-words.ts'

const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

/** A webhook's deliveries with their responses and a button to resend each. */
export function DeliveriesDrawer({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  return (
    <Drawer
      opened={webhook !== null}
      onClose={onClose}
      position="right"
      size="48rem"
      title={`Deliveries in the last ${DELIVERIES_KEPT_DAYS} days`}
      closeButtonProps={{ 'aria-label': 'Close the deliveries' }}
    >
      {webhook && <Deliveries webhook={webhook} />}
    </Drawer>
  )
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const [filter, setFilter] = useState<(typeof FILTERS)[number]['value']>('all')
  const deliveries = useDeliveries(webhook.id, filter === 'all' ? null : filter)
  const replay = useReplay()
  return (
    <Stack>
      <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {webhook.url}
      </Text>
      <SegmentedControl
        data={[...FILTERS]}
        value={filter}
        onChange={(value) => setFilter(FILTERS.find((one) => one.value === value)?.value ?? 'all')}
        aria-label="Which deliveries"
      />
      {replay.error && <ErrorNotice error={replay.error} />}
      <Reading query={deliveries}>
        {() =>
          deliveries.rows.length === 0 ? (
            <EmptyState
              icon={Send}
              title="No deliveries"
              text="Events appear here when they happen. You can send a test event at any time."
            />
          ) : (
            <>
              <DeliveryTable
                deliveries={deliveries.rows}
                replaying={replay.isPending ? replay.variables : null}
                onReplay={(id) => replay.mutate(id)}
              />
              <EndOfList pages={deliveries} />
            </>
          )
        }
      </Reading>
    </Stack>
  )
}

function DeliveryTable({
  deliveries,
  replaying,
  onReplay,
}: {
  deliveries: readonly Delivery[]
  /** The ID of the delivery that is being resent. */
  replaying: string | null
  onReplay: (id: string) => void
}) {
  return (
    <DataTable
      label="Deliveries"
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Event', cell: ({ type }) => <Code>{type}</Code> },
        { label: 'State', cell: (delivery) => <State delivery={delivery} /> },
        { label: 'Answer', cell: (delivery) => describeAnswer(delivery) },
        { label: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          label: 'Replay',
          isAtEnd: true,
          isAction: true,
          cell: ({ id, type }) => (
            <Button
              size="xs"
              variant="default"
              aria-label={`Replay ${type}`}
              loading={replaying === id}
              onClick={() => onReplay(id)}
            >
              Replay
            </Button>
          ),
        },
      ]}
    />
  )
}

function State({ delivery }: { delivery: Delivery }) {
  const { tone, word } = describeDelivery(delivery)
  const attempts = describeAttempts(delivery)
  return (
    <div>
      <Status tone={tone}>{word}</Status>
      {attempts !== null && (
        <Text c="dimmed" size="sm" style={{ whiteSpace: 'nowrap' }}>
          {attempts}
          {delivery.nextAttemptAt !== null && (
            <>
              {' · Next: '}
              <NextTime at={delivery.nextAttemptAt} />
            </>
          )}
        </Text>
      )}
    </div>
  )
}
