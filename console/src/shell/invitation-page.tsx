import { Alert, Button, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { UserX } from 'lucide-react'
import { type Schemas, unwrap } from '../api/client.ts'
import { useConsole } from '../session/context.tsx'
import { GatePage } from '../session/gate-page.tsx'
import { roleWithArticle } from '../session/role-name.ts'
import { useUserApi } from '../session/user-api.ts'
import { rememberWorkspace } from '../session/workspace.tsx'
import { ErrorNotice } from '../ui/error-state.tsx'
import { formatDate } from '../ui/relative-time.tsx'
import { LinesSkeleton } from '../ui/skeletons.tsx'

const HOME = '/console/'

/** Shows who invites the user to which workspace, and lets a signed-in user join. */
export function InvitationPage() {
  const token = globalThis.location.hash.slice(1)
  return (
    <GatePage title="Invitation">
      {token === '' ? (
        <>
          <Title order={1}>The link is incomplete</Title>
          <Text c="dimmed">The part after # is missing. Copy the whole link, or ask for another one.</Text>
        </>
      ) : (
        <Invitation token={token} />
      )}
      <Button component="a" href={HOME} variant="default">
        Go to the console
      </Button>
    </GatePage>
  )
}

function Invitation({ token }: { token: string }) {
  const api = useUserApi()
  const preview = useQuery({
    queryKey: ['invitation'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.POST('/v1/console/invitations/preview', { body: { token }, signal }))).invitation,
  })
  return (
    <>
      <Title order={1}>You are invited</Title>
      {preview.data && <Offer invitation={preview.data} token={token} />}
      {preview.isPending && <LinesSkeleton lines={2} />}
      {preview.error && <ErrorNotice error={preview.error} />}
    </>
  )
}

function Offer({ invitation, token }: { invitation: Schemas['InvitationPreview']; token: string }) {
  const { workspace, invitedBy, role, expiresAt, isForYou, isMember } = invitation
  return (
    <>
      <Text>
        {`${invitedBy ?? 'A former member'} invites you to join ${workspace} as ${roleWithArticle(role)}.`}
      </Text>
      {isForYou || isMember ? (
        <>
          <Text c="dimmed">
            {isMember
              ? 'You are a member already and keep your role.'
              : `The link works once, for one person, until ${formatDate(expiresAt)}.`}
          </Text>
          <Join token={token} label={isMember ? 'Open the workspace' : 'Join the workspace'} />
        </>
      ) : (
        <ForAnother invitation={invitation} />
      )}
    </>
  )
}

function Join({ token, label }: { token: string; label: string }) {
  const api = useUserApi()
  const accept = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/console/invitations/accept', { body: { token } })),
    onSuccess({ organization }) {
      rememberWorkspace(organization.id)
      // A full load removes the secret from the page and its history.
      globalThis.location.replace(HOME)
    },
  })
  return (
    <>
      {accept.error && <ErrorNotice error={accept.error} />}
      <Button
        size="md"
        onClick={() => accept.mutate()}
        loading={accept.isPending || accept.isSuccess}
        data-autofocus
      >
        {label}
      </Button>
    </>
  )
}

function ForAnother({ invitation: { email, signedInAs } }: { invitation: Schemas['InvitationPreview'] }) {
  const { session } = useConsole()
  return (
    <>
      <Alert color="orange" icon={<UserX size={18} aria-hidden />} title={`This invitation is for ${email}`}>
        {signedInAs === email
          ? 'Your identity provider has not verified this address. Verify it there, and open the link again.'
          : `You are signed in as ${signedInAs ?? 'a user without an email address'}. Sign out, open the link again, and sign in as ${email}.`}
      </Alert>
      <Button size="md" onClick={() => void session.signOut()}>
        Sign out
      </Button>
    </>
  )
}
