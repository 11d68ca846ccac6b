import { onTestFinished } from 'vitest'
import {
  type MicrosoftEmulator,
  type MicrosoftEmulatorOptions,
  startMicrosoftEmulator,
} from '../../emulators/microsoft/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { MicrosoftSettings } from '../../src/providers/microsoft/shared/settings.ts'
import type { Credentials, OAuthAdapter, ProviderLimits } from '../../src/providers/provider.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'

export interface MicrosoftAccount {
  microsoft: MicrosoftEmulator
  adapter: OAuthAdapter
  sync: ProviderHarness
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
}

export interface MicrosoftAccountOptions extends MicrosoftEmulatorOptions {
  scopes: readonly string[]
  createAdapter(settings: MicrosoftSettings, clock: Clock): OAuthAdapter
  limits?: Partial<ProviderLimits>
  signal?: AbortSignal
  prepare?(microsoft: MicrosoftEmulator): void
  /** Happens after each page of a run. */
  meanwhile?(): void
}

export const settingsOf = ({ clientId, clientSecret, url }: MicrosoftEmulator): MicrosoftSettings => ({
  clientId,
  clientSecret,
  tenant: 'common',
  apiUrl: url,
  authUrl: url,
})

/** An emulated account, connected without the browser. Both use one clock, and tokens are renewed as the service does. */
export async function connectMicrosoft(options: MicrosoftAccountOptions): Promise<MicrosoftAccount> {
  const { scopes, createAdapter, limits = {}, signal, prepare, meanwhile, ...rest } = options
  let harness: ProviderHarness | undefined
  const now = (): number => harness?.now ?? Date.UTC(2026, 1, 1)
  const microsoft = await startMicrosoftEmulator({ now, ...rest })
  prepare?.(microsoft)
  const adapter = createAdapter(settingsOf(microsoft), { now: () => new Date(now()) })
  const disturbed: OAuthAdapter = {
    ...adapter,
    async *listChanges(session, input) {
      for await (const page of adapter.listChanges(session, input)) {
        yield page
        meanwhile?.()
      }
    },
  }
  const scope = ['offline_access', 'User.Read', ...scopes].join(' ')
  const { id, mail } = microsoft.people.get('ada')
  const open = (more: Pick<HarnessOptions, 'adapter' | 'limits' | 'signal' | 'now'>): ProviderHarness => {
    let credentials: Credentials = { ...microsoft.grants.issue('ada', scope), expiresAt: null, scopes: [] }
    const opened = createProviderHarness({
      account: { externalAccountId: id, displayName: mail ?? '' },
      async accessToken(refused) {
        if (refused === credentials.accessToken)
          credentials = await adapter.refresh(credentials, opened.session.signal)
        return credentials.accessToken
      },
      ...more,
    })
    return opened
  }
  const sync = open({ adapter: disturbed, limits, ...(signal && { signal }) })
  harness = sync
  return { microsoft, adapter, sync, fresh: () => open({ adapter, now: sync.now }) }
}

/** Connects an account that ends with its test. */
export async function connectForTest(options: MicrosoftAccountOptions): Promise<MicrosoftAccount> {
  const account = await connectMicrosoft(options)
  onTestFinished(() => account.microsoft.close())
  return account
}
