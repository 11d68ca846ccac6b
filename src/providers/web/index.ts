import { defineProvider, type Provider } from '../provider.ts'
import { webForm } from './form.ts'

export const web: Provider<'web'> = defineProvider({
  id: 'web',
  name: 'Web',
  brings: 'Pages of a public web site.',
  icon: 'page',
  settings: {},
  form: webForm,
  needs: [],
  isGated: false,
  hasChannels: false,
  isForFiles: false,
  tellsReaders: false,
  audience: 'everyone',
  async createAdapter(_settings, deps) {
    const { createWebAdapter } = await import('./adapter.ts')
    return createWebAdapter(deps)
  },
})
