import { Button, Code } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useConsole } from '../../session/context.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ScimTokenDialog } from './scim-token-dialog.tsx'
import { type ScimToken, useRevokeScimToken, useScimTokens } from './use-scim-tokens.ts'

/** SCIM tokens, with which an identity provider provisions users and groups. */
export function DirectoryPanel() {
  const { config } = useConsole()
  const tokens = useScimTokens()
  const [isCreating, setIsCreating] = useState(false)
  const [tokenToRevoke, setTokenToRevoke] = useState<ScimToken | null>(null)
  return (
    <Panel
      title="Directory"
      text="Your identity provider provisions people and groups over SCIM."
      action={
        <Button variant="default" size="xs" onClick={() => setIsCreating(true)}>
          Create a SCIM token
        </Button>
      }
      isFlush
    >
      <Reading query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={KeyRound}
              title="No SCIM tokens"
              text="Create one for your identity provider. People it deactivates lose access immediately."
            />
          ) : (
            <>
              <div style={{ padding: '0 var(--mantine-spacing-lg) var(--mantine-spacing-sm)' }}>
                <CodeBlock label="the SCIM base URL" text={`${config.publicUrl}/scim/v2`} />
              </div>
              <TokenTable tokens={rows} onRevoke={setTokenToRevoke} />
            </>
          )
        }
      </Reading>
      {isCreating && <ScimTokenDialog onClose={() => setIsCreating(false)} />}
      <RevokeDialog token={tokenToRevoke} onClose={() => setTokenToRevoke(null)} />
    </Panel>
  )
}

function TokenTable({
  tokens,
  onRevoke,
}: {
  tokens: readonly ScimToken[]
  onRevoke: (token: ScimToken) => void
}) {
  return (
    <DataTable
      label="SCIM tokens"
      rows={tokens}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Name',
          cell: ({ name, prefix }) => (
            <div>
              {name} <Code>{prefix}…</Code>
            </div>
          ),
        },
        {
          label: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <RelativeTime at={lastUsedAt} />),
        },
        { label: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          label: 'Revoke',
          isAtEnd: true,
          isAction: true,
          cell: (token) => (
            <Button
              size="xs"
              variant="default"
              aria-label={`Revoke ${token.name}`}
              onClick={() => onRevoke(token)}
            >
              Revoke
            </Button>
          ),
        },
      ]}
    />
  )
}

function RevokeDialog({ token, onClose }: { token: ScimToken | null; onClose: () => void }) {
  const revoke = useRevokeScimToken()
  const close = (): void => {
    onClose()
    revoke.reset()
  }
  return (
    <ConfirmDialog
      isOpen={token !== null}
      title={`Revoke ${token?.name ?? 'the token'}?`}
      text="Your identity provider can no longer manage people and groups with it. Existing ones stay."
      confirm="Revoke token"
      work={revoke}
      onConfirm={() => {
        if (token) revoke.mutate(token.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
