import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { Link } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { roleName } from '../../session/role-name.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { grantableRoles, ROLES } from './member-rules.ts'
import { type Role, useInvite } from './use-members.ts'

/** Makes an invitation, and shows its link this once. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const invite = useInvite()
  const close = (): void => {
    onClose()
    invite.reset()
  }
  const made = invite.data
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made ? 'The invitation' : 'Invite a member'}
      closeOnClickOutside={made === undefined && !invite.isPending}
      closeOnEscape={made === undefined}
      withCloseButton={made === undefined}
    >
      {made ? (
        <Stack>
          <Alert icon={<Link size={18} aria-hidden />} title="Share the link" role="status">
            The service sends no email, and the link is shown only once. It lets{' '}
            {made.invitation.email ?? 'one person'} in as {roleName(made.invitation.role).toLowerCase()},
            until {formatDate(made.invitation.expiresAt)}.
          </Alert>
          <CodeBlock label="the link" text={made.url} wraps />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm isBusy={invite.isPending} onSubmit={(body) => invite.mutate(body)} onCancel={close}>
          {invite.error && <ErrorNotice error={invite.error} />}
        </InviteForm>
      )}
    </Modal>
  )
}

function InviteForm({
  isBusy,
  onSubmit,
  onCancel,
  children,
}: {
  isBusy: boolean
  onSubmit: (invitation: { role: Role; email?: string }) => void
  onCancel: () => void
  children: ReactNode
}) {
  const { organization } = useWorkspace()
  const grantable = grantableRoles(organization.role)
  const [role, setRole] = useState<Role>('member')
  const [email, setEmail] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const address = email.trim()
        onSubmit(address === '' ? { role } : { role, email: address })
      }}
    >
      <Stack gap="lg">
        <Radio.Group
          label="Role"
          value={role}
          onChange={(value) => setRole(grantable.find((one) => one === value) ?? 'member')}
        >
          <Stack gap="xs" mt="xs">
            {ROLES.map(({ role: one, text }) => (
              <Radio
                key={one}
                value={one}
                label={roleName(one)}
                description={grantable.includes(one) ? text : 'Only owners can invite owners.'}
                disabled={!grantable.includes(one)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label="Email address"
          description="Optional. Only a person whose identity provider confirms this address can then join."
          type="email"
          placeholder="grace@example.com"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          maxLength={254}
        />
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Create link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
