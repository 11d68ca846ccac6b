import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, StrictMode } from 'react'
import type { Root } from 'react-dom/client'
import { ApiError, unreachable } from '../api/errors.ts'
import { createQueryClient } from '../api/query-client.ts'
import { takeProviders } from '../api/provider-list.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { loadConfig } from '../session/config.ts'
import { ConsoleProvider, useSessionState } from '../session/context.tsx'
import { GatePage } from '../session/gate-page.tsx'
import { OutageBanner } from './outage-banner.tsx'
import { isInvitation } from './invitation-address.ts'
import { router } from './router.tsx'
import { useWhenReady } from '../session/service-ready.ts'
import { openSession } from '../session/session.ts'
import { SignInPage } from './sign-in-page.tsx'
import { cssVariables, theme } from './theme.ts'
import { WorkspaceProvider } from '../session/workspace.tsx'

/** Starts the console: loads the configuration and the session, then renders the pages or the sign-in. */
export async function start(root: Root): Promise<void> {
  try {
    const config = await loadConfig()
    takeProviders(config.providers)
    if (leadToOwnOrigin(config.publicUrl)) return
    const session = await openSession(config)
    const queries = createQueryClient()
    const Page = await signedInPage()
    root.render(
      <Frame>
        <ConsoleProvider value={{ config, session }}>
          <QueryClientProvider client={queries}>
            <SignedIn Page={Page} />
            <OutageBanner />
          </QueryClientProvider>
        </ConsoleProvider>
      </Frame>,
    )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    root.render(
      <Frame>
        <GatePage title="The service is not responding">
          <Unstarted error={error} />
        </GatePage>
      </Frame>,
    )
  }
}

/** Restarts when the service responds again. */
function Unstarted({ error }: { error: ApiError }) {
  useWhenReady(true, reload)
  return <ErrorState error={error} onRetry={reload} />
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        {children}
      </MantineProvider>
    </StrictMode>
  )
}

function SignedIn({ Page }: { Page: ComponentType }) {
  const state = useSessionState()
  return state.is === 'signed-in' ? <Page /> : <SignInPage />
}

/** Loads invitations from a separate file, because few users need it. @throws ApiError if it fails to load */
async function signedInPage(): Promise<ComponentType> {
  if (!isInvitation()) return Workspaces
  const file = await import('./invitation-page.tsx').catch((error: unknown) => {
    throw unreachable(error)
  })
  return file.InvitationPage
}

function Workspaces() {
  return (
    <WorkspaceProvider>
      <RouterProvider router={router} />
    </WorkspaceProvider>
  )
}

/**
 * Redirects to the public URL, the only one that the issuer redirects to. Session storage is per origin, so a sign-in
 * must start there too, not at another host name (`localhost` for `127.0.0.1`).
 */
function leadToOwnOrigin(publicUrl: string): boolean {
  const { origin, pathname, search, hash } = globalThis.location
  const own = new URL(publicUrl).origin
  if (own === origin) return false
  globalThis.location.replace(own + pathname + search + hash)
  return true
}

function reload(): void {
  globalThis.location.reload()
}
