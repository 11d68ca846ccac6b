import { defineProvider, type Provider } from '../provider.ts'
import { webForm } from './form.ts'

export const web: Provider<'web'> = defineProvider({
  id: 'web',
  name: 'Web',
  brings: 'Pages of a public web site.',
  icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  color: '#0f766e',
  settings: {},
  form: webForm,
  needs: [],
  audience: 'everyone',
  async createAdapter(_settings, deps) {
    const { createWebAdapter } = await import('./adapter.ts')
    return createWebAdapter(deps)
  },
})
