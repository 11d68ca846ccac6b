import { Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import { formatMoney } from './format-money.ts'
import { useInvoices } from './use-billing.ts'

type Invoice = Schemas['Invoice']

const STATES: Record<Invoice['status'], { tone: Tone; word: string }> = {
  draft: { tone: 'off', word: 'Draft' },
  open: { tone: 'waiting', word: 'Open' },
  paid: { tone: 'good', word: 'Paid' },
  uncollectible: { tone: 'bad', word: 'Unpaid' },
  void: { tone: 'off', word: 'Void' },
}

/** The newest invoices. The number links to the payment processor. */
export function InvoicesPanel() {
  const invoices = useInvoices()
  return (
    <Panel title="Invoices" isFlush>
      <Reading query={invoices}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed" p="lg" pt={0}>
              No invoices yet.
            </Text>
          ) : (
            <DataTable
              label="Invoices"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  label: 'Number',
                  cell: ({ number, url }) => <SourceLink href={url}>{number ?? 'Not final yet'}</SourceLink>,
                },
                { label: 'Date', cell: ({ createdAt }) => formatDate(createdAt) },
                {
                  label: 'Status',
                  cell: ({ status }) => <Status tone={STATES[status].tone}>{STATES[status].word}</Status>,
                },
                {
                  label: 'Total',
                  cell: ({ total, currency }) => formatMoney(total, currency),
                  isAtEnd: true,
                },
              ]}
            />
          )
        }
      </Reading>
    </Panel>
  )
}
