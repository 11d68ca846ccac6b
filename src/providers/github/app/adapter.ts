import { z } from 'zod'
import { VERSION } from '../../../kernel/version.ts'
import { createOAuth } from '../../oauth.ts'
import { type OAuthAdapter, ProviderError } from '../../adapter.ts'
import { parseAnswer, type RestAnswer } from '../../rest.ts'
import { createGitHubReader, type GitHubAdapterOptions, serverOf } from '../adapter.ts'
import { createGitHub } from '../client.ts'
import { findInstalled } from '../repositories.ts'
import { findOwnInstallation } from './installations.ts'
import type { GitHubAppSettings } from './settings.ts'
import { createGitHubAppCalls } from './tokens.ts'

const User = z.object({ id: z.int(), login: z.string() })
const App = z.object({ html_url: z.url({ protocol: /^https?$/ }) })
const Failed = z.object({ error: z.string(), error_description: z.string().optional() })

export interface GitHubAppAdapterOptions extends GitHubAdapterOptions {
  app: GitHubAppSettings
}

/**
 * Reads the repositories of a GitHub App's installation with tokens of the installation. The user's own token only
 * proves, while connecting, that the account is theirs; it is not stored.
 */
export function createGitHubAppAdapter(options: GitHubAppAdapterOptions): OAuthAdapter {
  const { app, clock } = options
  const { apiUrl, host } = serverOf(options.apiUrl)
  const calls = createGitHubAppCalls(app, apiUrl, clock)
  const login = `${webUrlOf(apiUrl)}/login/oauth`
  const oauth = createOAuth({
    name: 'GitHub',
    ...app,
    authorizeUrl: `${login}/authorize`,
    tokenUrl: `${login}/access_token`,
    // An app has permissions in place of scopes.
    scopes: [],
    parameters: { prompt: 'select_account' },
    headers: { 'user-agent': `RetrievalMemoryService/${VERSION}` },
    failed: refusedCode,
    now: () => clock.now(),
    async identify(get) {
      const user = parseAnswer(await get(`${apiUrl}/user`), User, 'GitHub')
      return { externalAccountId: String(user.id), displayName: user.login }
    },
  })
  return {
    provider: 'github_app',
    authorizeUrl: oauth.authorizeUrl,
    async exchangeCode(input) {
      const { signal } = input
      const user = await oauth.exchangeCode(input)
      const { accessToken } = user.credentials
      const github = createGitHub(apiUrl, (request) => calls.send(request, accessToken, signal), clock)
      const {
        installation,
        id,
        login: name,
      } = await findOwnInstallation(
        github,
        Number(user.externalAccountId),
        async () => `${(await calls.get('app', App, signal)).html_url}/installations/new`,
      )
      const credentials = await calls.credentialsOf(installation, signal)
      return { externalAccountId: `${host}/${id}`, displayName: name, credentials }
    },
    async refresh({ refreshToken }, signal) {
      if (refreshToken === null) throw new ProviderError('auth', 'The source has no installation')
      return await calls.credentialsOf(refreshToken, signal)
    },
    async revoke({ accessToken }, signal) {
      const request = { url: `${apiUrl}/installation/token`, method: 'DELETE' as const }
      await calls.send(request, accessToken, signal).catch((error: unknown) => {
        // It has expired, or the app is suspended or no longer installed.
        if (!(error instanceof ProviderError) || error.kind !== 'auth') throw error
      })
    },
    ...createGitHubReader(options, () => findInstalled),
  }
}

/** The web address: `https://github.com` for the API at `https://api.github.com`. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl)
  return `${protocol}//${host.replace(/^api\./, '')}`
}

/** GitHub refuses a code with the status 200 (docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors). */
function refusedCode(answer: RestAnswer): ProviderError | undefined {
  const { data } = Failed.safeParse(parseAnswer(answer, z.unknown(), 'GitHub'))
  return data && new ProviderError('rejected', data.error_description ?? data.error, { code: data.error })
}
