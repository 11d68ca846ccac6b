import { Stack, Switch, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap } from '../../api/client.ts'
import { ME } from '../../session/user-api.ts'
import { useChange } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'

/** The effect of each state on everyone, which the owner confirms. */
const CHANGES = {
  enforced: {
    title: 'Enforce permissions?',
    text: 'From now on, each person finds only what they may read at the source, in the console and over MCP. This applies to owners and admins too: they no longer find private channels and files of others.',
    confirm: 'Enforce permissions',
    isGrave: false,
  },
  off: {
    title: 'Stop enforcing permissions?',
    text: 'From now on, every member finds every item of the workspace, including private channels and files of others.',
    confirm: 'Stop enforcing',
    isGrave: true,
  },
} as const

/** The current effect of each state. */
const NOW = {
  enforced:
    'Permissions apply to owners and admins too. API keys still find everything of their providers, unless a request names a person in onBehalfOf.',
  off: 'Every member finds every item now, including private channels and files of others.',
} as const

/** Whether users find only what they may read at the source. Owners can change it. */
export function PermissionsPanel() {
  const { organization } = useWorkspace()
  const enforce = useEnforcePermissions()
  const [isAsking, setIsAsking] = useState(false)
  const [wanted, setWanted] = useState<keyof typeof CHANGES>('enforced')
  const isOwner = organization.role === 'owner'
  return (
    <Panel {...SECTIONS.permissions}>
      <Stack gap="sm">
        <Switch
          label="Enforce permissions"
          description="In the console and over MCP, people find only what they may read at the source."
          checked={organization.permissions === 'enforced'}
          disabled={!isOwner || enforce.isPending}
          onChange={(event) => {
            setWanted(event.currentTarget.checked ? 'enforced' : 'off')
            setIsAsking(true)
          }}
        />
        <Text size="sm">{NOW[organization.permissions]}</Text>
        {!isOwner && (
          <Text size="sm" c="dimmed">
            Only owners change this.
          </Text>
        )}
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        {...CHANGES[wanted]}
        work={enforce}
        onConfirm={() => enforce.mutate(wanted, { onSuccess: () => setIsAsking(false) })}
        onClose={() => setIsAsking(false)}
      />
    </Panel>
  )
}

/** Turns the enforcement of permissions on or off. Owners only. */
function useEnforcePermissions() {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  return useChange(
    (api, permissions: 'off' | 'enforced') => {
      const params = { path: { id: organization.id } }
      return unwrap(api.PATCH('/v1/console/organizations/{id}', { params, body: { permissions } }))
    },
    // The user may now read other items, so all cached data is stale.
    () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ME }),
        queries.invalidateQueries({ queryKey: [organization.id] }),
      ]),
  )
}
