import { createContext, type ReactNode, use, useSyncExternalStore } from 'react'
import type { Config } from './config.ts'
import type { Session, SessionState } from './session.ts'

interface Console {
  config: Config
  session: Session
}

const ConsoleContext = createContext<Console | null>(null)

/** Provides the service's configuration and the session to its children. */
export function ConsoleProvider({ value, children }: { value: Console; children: ReactNode }) {
  return <ConsoleContext value={value}>{children}</ConsoleContext>
}

export function useConsole(): Console {
  const found = use(ConsoleContext)
  if (found === null) throw new Error('there is no ConsoleProvider above')
  return found
}

/** Whether a user is signed in. Rerenders on changes. */
export function useSessionState(): SessionState {
  const { session } = useConsole()
  return useSyncExternalStore(session.subscribe, session.state)
}
