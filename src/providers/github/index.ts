import { defineProvider, type Provider } from '../provider.ts'
import { githubForm } from './form.ts'
import { githubApiUrl } from './settings.ts'

export const github: Provider<'github'> = defineProvider({
  id: 'github',
  name: 'GitHub',
  brings: 'Issues, pull requests, discussions and Markdown files of repositories.',
  icon: 'M7 8v8M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 10c0 4.5-10 1.5-10 6',
  color: '#4b5058',
  settings: githubApiUrl,
  form: githubForm,
  needs: [],
  async createAdapter(settings, deps) {
    const { createGitHubAdapter, GITHUB_API_URL } = await import('./adapter.ts')
    return createGitHubAdapter({ apiUrl: settings.GITHUB_API_URL ?? GITHUB_API_URL, ...deps })
  },
})
