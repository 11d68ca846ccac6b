import { Alert, Button, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useConsole, useSessionState } from '../session/context.tsx'
import { GatePage } from '../session/gate-page.tsx'
import { isInvitation } from './invitation-address.ts'
import { OutcomeNotice } from '../ui/outcome-notice.tsx'

/** The sign-in page. The URL stays the same, so that users return to the page that they requested. */
export function SignInPage() {
  const { config, session } = useConsole()
  const state = useSessionState()
  const [isLeaving, setLeaving] = useState(false)
  const signIn = async (): Promise<void> => {
    setLeaving(true)
    await session.signIn()
    setLeaving(false)
  }
  if (state.is === 'impossible')
    return (
      <GatePage title="Sign in">
        <Title order={1}>Sign-in is not configured</Title>
        <Text>The operator of this service has to {state.reason}.</Text>
        <Text c="dimmed">API keys keep working.</Text>
      </GatePage>
    )
  const isLocal = config.signIn.by === 'development'
  return (
    <GatePage title="Sign in">
      <OutcomeNotice />
      <Title order={1}>Sign in</Title>
      {isInvitation() && (
        <Alert color="accent" title="You are invited">
          Sign in to join the workspace.
        </Alert>
      )}
      {state.is === 'signed-out' && state.because === 'ended' && (
        <Alert color="accent" title="Your session has ended">
          Sign in again; you come back to the page that you left.
        </Alert>
      )}
      {state.is === 'signed-out' && state.because === 'failed' && (
        <Alert color="red" title="Sign-in failed">
          {state.message}
        </Alert>
      )}
      <Text c="dimmed">
        {isLocal
          ? 'This service runs on your machine, so you need no password. You own the local workspace.'
          : 'You sign in at your identity provider and return here.'}
      </Text>
      <Button size="md" loading={isLeaving} onClick={() => void signIn()} data-autofocus>
        {isLocal ? 'Continue as developer' : 'Continue'}
      </Button>
    </GatePage>
  )
}
