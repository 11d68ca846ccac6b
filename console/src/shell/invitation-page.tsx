import { Button, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { unwrap } from '../api/client.ts'
import { ErrorNotice } from '../ui/error-state.tsx'
import { GatePage } from '../session/gate-page.tsx'
import { useUserApi } from '../session/user-api.ts'
import { rememberWorkspace } from '../session/workspace.tsx'

const PATH = '/console/invitation'
const HOME = '/console/'

/** Whether the address is that of an invitation. Its secret is in the fragment, which no server and no log is sent. */
export function isInvitation(): boolean {
  return globalThis.location.pathname === PATH
}

/** Lets whoever is signed in join the workspace that the link is for, and leads there. */
export function InvitationPage() {
  const api = useUserApi()
  const token = globalThis.location.hash.slice(1)
  const accept = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/console/invitations/accept', { body: { token } })),
    onSuccess({ organization }) {
      rememberWorkspace(organization.id)
      // Anew, so that nothing of the link stays in the page or its history.
      globalThis.location.replace(HOME)
    },
  })
  const isWhole = token !== ''
  return (
    <GatePage title="Invitation">
      <Title order={1}>{isWhole ? 'You are invited' : 'The link is incomplete'}</Title>
      <Text c="dimmed">
        {isWhole
          ? 'The link works once, for one person.'
          : 'The part after # is missing. Copy the whole link, or ask for another one.'}
      </Text>
      {accept.error && <ErrorNotice error={accept.error} />}
      {isWhole && (
        <Button
          size="md"
          onClick={() => accept.mutate()}
          loading={accept.isPending || accept.isSuccess}
          data-autofocus
        >
          Join the workspace
        </Button>
      )}
      <Button component="a" href={HOME} variant="default">
        Go to the console
      </Button>
    </GatePage>
  )
}
