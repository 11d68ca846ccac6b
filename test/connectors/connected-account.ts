import type { Fault, Faults } from '../../emulators/kit/faults.ts'
import type { Provider, ProviderEnvironment } from '../../src/providers/index.ts'
import type { ProviderAdapter, ProviderLimits } from '../../src/providers/adapter.ts'
import type { ProviderHarness } from '../support/provider-harness.ts'

/** An object in an account that is found by its text: a message, a page, a file. */
export type Thing = string

/** How the provider refuses and breaks; absent where it makes no requests. */
export interface RequestFaults {
  faults: Faults
  /** The answer that means "too many requests"; `retryAfter` is in seconds. */
  tooMany(retryAfter: number): Omit<Fault, 'every' | 'times'>
  /** A part of the path of every request to the provider; all by default. */
  path?: string
}

/** An emulated account and a source that is connected to it; both use the clock of `sync`. */
export interface ConnectedAccount {
  sync: ProviderHarness
  adapter: ProviderAdapter
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
  add(text: string): Thing
  edit(thing: Thing, text: string): void
  remove(thing: Thing): void
  /** Moves it to another place that the source reads. */
  move?(thing: Thing): void
  /** Makes it unreadable for the connector, and readable again. Others stay readable. */
  break(thing: Thing): void
  mend(): void
  /** Makes the provider return it in an unknown format until it is repaired; absent if it has no separate format. */
  deform?(thing: Thing): void
  requests?: RequestFaults
  /** The owner of the account ends the grant. */
  revoke?(): void
  /** The provider refuses the access tokens that it has issued; `sync` can get others. */
  expireTokens?(): void
  /** Only this person may read it from now on. */
  restrict?(thing: Thing, email: string): void
  close(): Promise<void>
}

export interface ConnectOptions {
  /** How many things a page of the connector has at most, so that few things make several pages. */
  thingsPerPage: number
  limits?: Partial<ProviderLimits>
  signal?: AbortSignal
}

export interface Connector {
  provider: Provider
  /** How many things make at least three pages; 10 by default. */
  things?: number
  /** How many things a source of this provider can have at most. */
  mostThings?: number
  /** Connects an account that is empty, or has little of its own. */
  connect(options: ConnectOptions): Promise<ConnectedAccount>
  /** The provider's words when a grant has ended. */
  revokedMessage?: RegExp
  /** The settings that its webhook verifies senders with. */
  webhookSettings?: ProviderEnvironment
}
