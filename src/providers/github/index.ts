import { defineProvider, type Provider } from '../provider.ts'
import { githubForm } from './form.ts'
import { githubApiUrl } from './settings.ts'

export const github: Provider<'github'> = defineProvider({
  id: 'github',
  name: 'GitHub',
  brings: 'Issues, pull requests, discussions and Markdown files of repositories.',
  icon: 'branch',
  settings: githubApiUrl,
  form: githubForm,
  needs: [],
  isGated: false,
  hasChannels: false,
  isForFiles: false,
  tellsReaders: false,
  async createAdapter(settings, { clock, extractor }) {
    const { createGitHubAdapter, GITHUB_API_URL } = await import('./adapter.ts')
    return createGitHubAdapter({ apiUrl: settings.GITHUB_API_URL ?? GITHUB_API_URL, clock, extractor })
  },
})
