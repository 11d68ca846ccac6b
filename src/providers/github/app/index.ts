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
  icon: 'branch',
  settings: { ...githubAppSettings, ...githubApiUrl },
  client: githubAppClient,
  needs: [GITHUB_APP_PRIVATE_KEY],
  // A revoked token is only one of many that the app can make.
  grants: { family: 'github_app', isShared: () => false },
  isGated: false,
  hasChannels: false,
  isForFiles: false,
  tellsReaders: false,
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
