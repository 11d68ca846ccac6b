import {
  startGoogleEmulator,
  type GoogleEmulator,
  type GoogleEmulatorOptions,
} from '../../emulators/google/google-emulator.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { OAuthAdapter, ProviderItem, ProviderLimits, Credentials } from '../../src/providers/adapter.ts'
import type { GoogleSettings } from '../../src/providers/google/shared/oauth.ts'
import { createProviderHarness, type ProviderHarness } from './provider-harness.ts'

const running: GoogleEmulator[] = []

export async function closeGoogles(): Promise<void> {
  for (const emulator of running.splice(0)) await emulator.close()
}

/** An emulator that ends with the test, empty by default, and its settings. */
export async function startGoogle(
  options: GoogleEmulatorOptions = {},
): Promise<{ google: GoogleEmulator; settings: GoogleSettings }> {
  const google = await startGoogleEmulator({ files: 0, folders: 0, sharedDrives: 0, mails: 0, ...options })
  running.push(google)
  const { clientId, clientSecret, url } = google
  return { google, settings: { clientId, clientSecret, apiUrl: url, authUrl: url } }
}

/** An emulator and a source connected to it without the browser flow; tokens are refreshed as the engine does. */
export async function connectGoogle(
  createAdapter: (settings: GoogleSettings, clock: Clock) => OAuthAdapter,
  scope: string,
  options: GoogleEmulatorOptions = {},
  limits: Partial<ProviderLimits> = {},
  signal?: AbortSignal,
): Promise<{ google: GoogleEmulator; engine: ProviderHarness; adapter: OAuthAdapter }> {
  const { google, settings } = await startGoogle(options)
  const clock: Clock = { now: () => engine.session.clock.now() }
  const adapter = createAdapter(settings, clock)
  const { accessToken, refreshToken } = google.grants.issue(google.account, scope)
  let credentials: Credentials = { accessToken, refreshToken, expiresAt: null, scopes: [scope] }
  const engine = createProviderHarness({
    adapter,
    account: { externalAccountId: google.account, displayName: google.account },
    limits,
    ...(signal && { signal }),
    accessToken: async (refused) => {
      if (refused === credentials.accessToken)
        credentials = await adapter.refresh(credentials, engine.session.signal)
      return credentials.accessToken
    },
  })
  return { google, engine, adapter }
}

/** Another source of the same account that has never synced. */
export function freshGoogle(
  google: GoogleEmulator,
  adapter: OAuthAdapter,
  engine: ProviderHarness,
  scope: string,
): ProviderHarness {
  const { accessToken } = google.grants.issue(google.account, scope)
  const { account } = engine.session
  return createProviderHarness({ adapter, account, accessToken: () => accessToken, now: engine.now })
}

export const titles = (engine: ProviderHarness) =>
  [...engine.items.values()].map((item) => item.title).toSorted()

export const byTitle = (engine: ProviderHarness, title: string): ProviderItem | undefined =>
  [...engine.items.values()].find((item) => item.title === title)

/** An error body of Google's APIs. */
export const refusal = (reason: string, code = 403) => ({
  error: { code, message: `the words of ${reason}`, errors: [{ domain: 'global', reason, message: reason }] },
})
