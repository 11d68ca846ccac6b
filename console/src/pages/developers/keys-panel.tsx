import { Badge, Button, Code, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProviderList } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { KeyRate, useKeyRates } from './key-rate.tsx'
import classes from './keys-panel.module.css'
import { presetOf, PRESETS } from './key-presets.ts'
import { LastUsed } from './last-used.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { TestKeyDialog } from './test-key-dialog.tsx'
import { useApiKeys, useRequestsPerMinute } from './use-api-keys.ts'
import { UseKeyDialog } from './use-key-dialog.tsx'

type ApiKey = Schemas['ApiKey']

/** The live keys, with a button to revoke each. */
export function KeysPanel({ onCreate }: { onCreate: () => void }) {
  const keys = useApiKeys()
  const limit = useRequestsPerMinute()
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null)
  const [keyToUse, setKeyToUse] = useState<ApiKey | null>(null)
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
            <KeyTable keys={rows} onUse={setKeyToUse} onRevoke={setKeyToRevoke} />
          )
        }
      </Reading>
      <UseKeyDialog apiKey={keyToUse} onClose={() => setKeyToUse(null)} />
      {isTesting && keys.data && <TestKeyDialog keys={keys.data} onClose={testing.close} />}
      <RevokeKeyDialog apiKey={keyToRevoke} onClose={() => setKeyToRevoke(null)} />
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
          cell: (key) => (
            <div>
              <LastUsed apiKey={key} />
              <div className={classes.created}>
                created <RelativeTime at={key.createdAt} />
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

/** The key's name, linked to its page, and the prefix that identifies its secret. */
function Name({ apiKey: { id, name, prefix } }: { apiKey: ApiKey }) {
  return (
    <div className={classes.name}>
      <TextLink to="/developers/keys/$keyId" params={{ keyId: id }} inherit>
        {name}
      </TextLink>{' '}
      <Code>{prefix}…</Code>
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
