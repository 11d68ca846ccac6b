import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { Link, MailCheck, MailWarning } from 'lucide-react'
import { useState } from 'react'
import { roleName, roleWithArticle } from '../../session/role-name.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { type FormWork, SubmitForm } from '../../ui/submit-form.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { grantableRoles, ROLES } from './member-rules.ts'
import { type CreatedInvitation, useInvite } from './use-invitations.ts'
import type { Role } from './use-members.ts'

/** Creates an invitation, then shows its link once and whether it was emailed. */
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
          <Delivery made={made} />
          <CodeBlock label="the link" text={made.url} wraps isToCopyFirst />
          <Group justify="flex-end">
            <Button onClick={close}>{made.isMailed === true ? 'Done' : 'I have copied it'}</Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm work={invite} onSubmit={(body) => invite.mutate(body)} onCancel={close} />
      )}
    </Modal>
  )
}

function Delivery({ made: { invitation, isMailed } }: { made: CreatedInvitation }) {
  const { email, role, expiresAt } = invitation
  const effect = `The link is shown only once. It lets ${email ?? 'one person'} in as ${roleWithArticle(role)}, until ${formatDate(expiresAt)}.`
  if (isMailed === true)
    return (
      <Alert
        color="teal"
        icon={<MailCheck size={18} aria-hidden />}
        title={`Mailed to ${email}`}
        role="status"
      >
        {effect}
      </Alert>
    )
  if (isMailed === false)
    return (
      <Alert
        color="orange"
        icon={<MailWarning size={18} aria-hidden />}
        title="The mail was not sent"
        role="alert"
      >
        {`The mail server did not accept the mail. Send the link yourself. ${effect}`}
      </Alert>
    )
  return (
    <Alert icon={<Link size={18} aria-hidden />} title="Share the link" role="status">
      {`No mail was sent. ${effect}`}
    </Alert>
  )
}

function InviteForm({
  work,
  onSubmit,
  onCancel,
}: {
  work: FormWork
  onSubmit: (invitation: { role: Role; email?: string }) => void
  onCancel: () => void
}) {
  const { organization } = useWorkspace()
  const grantable = grantableRoles(organization.role)
  const [role, setRole] = useState<Role>('member')
  const [email, setEmail] = useState('')
  const address = email.trim()
  return (
    <SubmitForm
      action="Create invitation"
      work={work}
      gap="lg"
      onSubmit={() => onSubmit(address === '' ? { role } : { role, email: address })}
      onCancel={onCancel}
    >
      <TextInput
        label="Email address"
        description="Only the person with this address can join. Without one, anybody with the link can."
        data-autofocus
        type="email"
        placeholder="grace@example.com"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        maxLength={254}
      />
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
    </SubmitForm>
  )
}
