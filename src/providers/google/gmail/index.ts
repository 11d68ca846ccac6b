import { defineProvider, type Provider } from '../../provider.ts'
import { google, readGoogleSettings } from '../shared/settings.ts'

export const gmail: Provider<'gmail'> = defineProvider({
  id: 'gmail',
  name: 'Gmail',
  brings: 'Mail, without spam and trash.',
  icon: 'M4 18.5V6.5l8 6.5 8-6.5v12',
  color: '#c5372c',
  ...google,
  async createAdapter(settings, deps) {
    const { createGmailAdapter } = await import('./adapter.ts')
    return createGmailAdapter({ ...deps, settings: readGoogleSettings(settings) })
  },
})
