import { onTestFinished } from 'vitest'
import {
  type MicrosoftEmulator,
  type MicrosoftEmulatorOptions,
  startMicrosoftEmulator,
} from '../../emulators/microsoft/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { MicrosoftSettings } from '../../src/providers/microsoft/shared/settings.ts'
import type { OAuthAdapter, ProviderLimits } from '../../src/providers/adapter.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'
import { createRenewedTokens } from './renewed-tokens.ts'

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
    const connected = () => ({ ...microsoft.grants.issue('ada', scope), expiresAt: null, scopes: [] })
    const account = { externalAccountId: id, displayName: mail ?? '' }
    return createProviderHarness({ account, accessToken: createRenewedTokens(adapter, connected), ...more })
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
