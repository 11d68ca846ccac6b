import { createHash, createPrivateKey } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Installation } from '../../emulators/github/app.ts'
import { type GitHubEmulator, startGitHubEmulator } from '../../emulators/github/index.ts'
import type { GitHubRepository } from '../../emulators/github/state.ts'
import type { TextExtractor } from '../../src/file-text/index.ts'
import { createGitHubAppAdapter } from '../../src/providers/github/app/adapter.ts'
import type { ConnectedAccount, OAuthAdapter, ProviderLimits } from '../../src/providers/adapter.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'
import { createRenewedTokens } from './renewed-tokens.ts'

export interface GitHubAppAccount {
  hub: GitHubEmulator
  adapter: OAuthAdapter
  /** The emulator's and the adapter's time, in epoch milliseconds. */
  clock: { now: () => number }
  /** Goes through GitHub's pages as the person who is signed in. */
  connect(): Promise<ConnectedAccount>
}

export const REDIRECT_URI = 'http://127.0.0.1:9/v1/oauth/github_app/callback'
const codeVerifier = 'a-verifier-of-at-least-forty-three-characters-it-is'
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

/** An emulated GitHub App and its adapter. */
export async function startGitHubApp(
  extractor: TextExtractor,
  { itemsPerPage = 50 } = {},
): Promise<GitHubAppAccount> {
  const clock = { now: () => Date.UTC(2026, 0, 1) }
  const hub = await startGitHubEmulator({ now: () => clock.now() })
  const { clientId, clientSecret, privateKey } = hub.app
  const adapter = createGitHubAppAdapter({
    app: { clientId, clientSecret, privateKey: createPrivateKey(privateKey()) },
    apiUrl: hub.url,
    clock: { now: () => new Date(clock.now()) },
    extractor,
    itemsPerPage,
  })
  const { signal } = new AbortController()
  return {
    hub,
    adapter,
    clock,
    async connect() {
      const url = adapter.authorizeUrl({ state: 'st', redirectUri: REDIRECT_URI, codeChallenge })
      const { headers } = await fetch(url, { redirect: 'manual' })
      const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
      return await adapter.exchangeCode({ code, redirectUri: REDIRECT_URI, codeVerifier, signal })
    },
  }
}

/** The same for one test. */
export async function githubAppForTest(extractor: TextExtractor): Promise<GitHubAppAccount> {
  const account = await startGitHubApp(extractor)
  onTestFinished(() => account.hub.close())
  return account
}

export interface InstalledSource {
  installation: Installation
  web: GitHubRepository
  sync: ProviderHarness
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
}

/** A source of the organization `acme`, whose tokens are renewed as the service does. */
export async function connectInstallation(
  { hub, adapter, clock, connect }: GitHubAppAccount,
  options: { limits?: Partial<ProviderLimits>; signal?: AbortSignal } = {},
): Promise<InstalledSource> {
  const web = hub.state.create('acme/web')
  hub.app.standings.set('acme', 'owner')
  const installation = hub.app.install('acme')
  const connected = await connect()
  const open = (more: Pick<HarnessOptions, 'limits' | 'signal' | 'now' | 'clock'>): ProviderHarness => {
    const accessToken = createRenewedTokens(adapter, () => connected.credentials)
    return createProviderHarness({ adapter, account: connected, accessToken, ...more })
  }
  const sync = open({ now: clock.now(), ...options })
  clock.now = () => sync.now
  return { installation, web, sync, fresh: () => open({ clock: sync }) }
}
