import { defineProvider, type Provider } from '../../provider.ts'
import { githubApiUrl } from '../settings.ts'
import {
  GITHUB_APP_PRIVATE_KEY,
  githubAppClient,
  githubAppSettings,
  readGitHubAppSettings,
} from './settings.ts'

export const githubApp: Provider<'github_app'> = defineProvider({
  id: 'github_app',
  name: 'GitHub App',
  brings:
    'Issues, pull requests, discussions and Markdown files of the repositories where the app is installed.',
  icon: 'M7 8v8M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 10c0 4.5-10 1.5-10 6',
  color: '#4b5058',
  settings: { ...githubAppSettings, ...githubApiUrl },
  client: githubAppClient,
  needs: [GITHUB_APP_PRIVATE_KEY],
  // Revoking ends only one of many tokens that the app can create.
  grants: { family: 'github_app', isShared: () => false },
  async createAdapter({ GITHUB_API_URL, ...settings }, deps) {
    const { createGitHubAppAdapter } = await import('./adapter.ts')
    const { GITHUB_API_URL: standard } = await import('../adapter.ts')
    return createGitHubAppAdapter({
      ...deps,
      app: readGitHubAppSettings(settings),
      apiUrl: GITHUB_API_URL ?? standard,
    })
  },
})
