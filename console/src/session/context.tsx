import { createContext, type ReactNode, use, useSyncExternalStore } from 'react'
import type { Config } from './config.ts'
import type { Session, SessionState } from './session.ts'

interface Console {
  config: Config
  session: Session
}

const ConsoleContext = createContext<Console | null>(null)

/** Makes the service's settings and the session known below. */
export function ConsoleProvider({ value, children }: { value: Console; children: ReactNode }) {
  return <ConsoleContext value={value}>{children}</ConsoleContext>
}

export function useConsole(): Console {
  const found = use(ConsoleContext)
  if (found === null) throw new Error('there is no ConsoleProvider above')
  return found
}

/** Whether a user is signed in; rerenders when that changes. */
export function useSessionState(): SessionState {
  const { session } = useConsole()
  return useSyncExternalStore(session.subscribe, session.state)
}
