import { defineProvider, type Provider } from '../descriptor.ts'
import { urlSetting } from '../settings.ts'
import { githubForm } from './form.ts'

export const github: Provider<'github'> = defineProvider({
  id: 'github',
  name: 'GitHub',
  brings: 'Issues, pull requests, discussions and Markdown files of repositories.',
  icon: 'branch',
  settings: {
    GITHUB_API_URL: urlSetting.describe(
      'Replaces https://api.github.com, for GitHub Enterprise Server `https://HOST/api/v3`. `PROVIDERS` must also name `github`',
    ),
  },
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
