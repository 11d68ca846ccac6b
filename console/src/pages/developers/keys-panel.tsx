import { Badge, Button, Code, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProviderList } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDateTime, RelativeTime } from '../../ui/relative-time.tsx'
import { KeyRate, useKeyRates } from './key-rate.tsx'
import classes from './keys-panel.module.css'
import { presetOf, PRESETS } from './key-presets.ts'
import { KEY_PLACEHOLDER } from './request-curl.ts'
import { SnippetTabs } from './snippet-tabs.tsx'
import { TestKeyDialog } from './test-key-dialog.tsx'
import { useApiKeys, useRequestsPerMinute, useRevokeKey } from './use-api-keys.ts'

type ApiKey = Schemas['ApiKey']

/** The live keys, with a button to revoke each. */
export function KeysPanel({ onCreate }: { onCreate: () => void }) {
  const keys = useApiKeys()
  const limit = useRequestsPerMinute()
  const [leaving, setLeaving] = useState<ApiKey | null>(null)
  const [used, setUsed] = useState<ApiKey | null>(null)
  const [isTesting, testing] = useDisclosure(false)
  return (
    <Panel
      title="API keys"
      // Has the height of the final text, so that the panel does not shift.
      text={`Each key may send ${limit === null ? 'only so many' : formatNumber(limit)} requests per minute for each action.`}
      isFlush
      action={
        <Button size="xs" variant="default" onClick={testing.open}>
          Test a key
        </Button>
      }
    >
      <Reading query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={KeyRound}
              title="No keys yet"
              text="A key gives one agent or program the actions and providers that you choose."
              action={<Button onClick={onCreate}>Create a key</Button>}
            />
          ) : (
            <KeyTable keys={rows} onUse={setUsed} onRevoke={setLeaving} />
          )
        }
      </Reading>
      <Modal
        opened={used !== null}
        onClose={() => setUsed(null)}
        title={`Use ${used?.name ?? 'the key'}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close the examples' }}
      >
        {used && <SnippetTabs apiKey={used} secret={KEY_PLACEHOLDER} />}
      </Modal>
      {isTesting && keys.data && <TestKeyDialog keys={keys.data} onClose={testing.close} />}
      <RevokeDialog apiKey={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  )
}

function KeyTable({
  keys,
  onUse,
  onRevoke,
}: {
  keys: readonly ApiKey[]
  onUse: (key: ApiKey) => void
  onRevoke: (key: ApiKey) => void
}) {
  const rates = useKeyRates()
  return (
    <DataTable
      label="API keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: (key) => <Name apiKey={key} /> },
        { label: 'Permissions', cell: ({ allowedActions }) => <Actions actions={allowedActions} /> },
        { label: 'Providers', cell: ({ allowedProviders }) => <ProviderList ids={allowedProviders} /> },
        {
          label: 'Last minute',
          cell: ({ id, name }) => <KeyRate id={id} name={name} rates={rates} />,
        },
        {
          label: 'Last used',
          cell: ({ lastUsedAt, createdAt }) => (
            <div>
              {/* The time of use is stored to the minute, so it can lie before the creation. */}
              {lastUsedAt === null ? (
                'Never'
              ) : (
                <RelativeTime at={lastUsedAt < createdAt ? createdAt : lastUsedAt} />
              )}
              <div className={classes.created}>
                made <RelativeTime at={createdAt} />
              </div>
            </div>
          ),
        },
        {
          label: 'Actions',
          isAtEnd: true,
          isAction: true,
          cell: (key) => (
            <Group gap="xs" wrap="nowrap" justify="flex-end">
              <Button size="xs" variant="default" onClick={() => onUse(key)} aria-label={`Use ${key.name}`}>
                Use
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => onRevoke(key)}
                aria-label={`Revoke ${key.name}`}
              >
                Revoke
              </Button>
            </Group>
          ),
        },
      ]}
    />
  )
}

/** The key's name and the prefix that identifies its secret. */
function Name({ apiKey: { name, prefix } }: { apiKey: ApiKey }) {
  return (
    <div className={classes.name}>
      {name} <Code>{prefix}…</Code>
    </div>
  )
}

function Actions({ actions }: { actions: ApiKey['allowedActions'] }) {
  const preset = presetOf(actions)
  if (preset === 'admin') return <>{PRESETS.admin.name}: all</>
  return (
    <Group gap={4}>
      {actions.map((action) => (
        <Badge key={action} variant="default" size="sm" tt="none" fw={500} flex="none">
          {action}
        </Badge>
      ))}
    </Group>
  )
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const revoke = useRevokeKey()
  const close = (): void => {
    onClose()
    revoke.reset()
  }
  if (apiKey !== null && revoke.isSuccess)
    return (
      <Modal opened onClose={close} title={`${apiKey.name} is revoked`}>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Close
          </Button>
          <ButtonLink to="/audit" search={{ actor: apiKey.id }}>
            See what it did
          </ButtonLink>
        </Group>
      </Modal>
    )
  return (
    <ConfirmDialog
      isOpen={apiKey !== null}
      title={`Revoke ${apiKey?.name ?? 'the key'}?`}
      text={apiKey === null ? '' : whatStops(apiKey)}
      confirm="Revoke key"
      work={revoke}
      onConfirm={() => {
        if (apiKey) revoke.mutate(apiKey.id)
      }}
      onClose={close}
    />
  )
}

function whatStops({ prefix, lastUsedAt, allowedActions }: ApiKey): string {
  const use =
    lastUsedAt === null ? 'It was never used.' : `It was last used on ${formatDateTime(lastUsedAt)}.`
  const ingests = allowedActions.includes('ingest') ? ' Documents it pushed stay.' : ''
  return `Programs that use ${prefix}… get 401 from the next request. ${use}${ingests} This cannot be undone.`
}
