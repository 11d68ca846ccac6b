import type { Locator, Page } from 'playwright-core'
import type { Emulators } from '../../support/connected-service.ts'

export interface Stage {
  page: Page
  url: string
  emulators: Emulators
  /** The company's sources by provider: connected accounts, and one that fails. */
  connected: { slack: string; notion: string; google_drive: string }
  /** Paths of open invitations: for anyone, and for one address. */
  invitations: { open: string; forAnother: string }
}

/** A page in one of its states, for visual review. */
export interface Scene {
  name: string
  who: 'nobody' | 'owner' | 'member' | 'newcomer' | 'debtor'
  path: string | ((stage: Stage) => string)
  /** What to do once the page is open. */
  act?: (stage: Stage) => Promise<void>
  /** The only widths where the state exists; all by default. */
  widths?: readonly number[]
  /** Runs before the page is opened. */
  before?: (stage: Stage) => Promise<void>
}

export const dialog = (page: Page): Locator => page.getByRole('dialog').last()
