import { defineProvider, type Provider } from '../../provider.ts'
import { microsoft, readMicrosoftSettings } from '../shared/settings.ts'

export const outlook: Provider<'outlook'> = defineProvider({
  id: 'outlook',
  name: 'Outlook',
  brings: 'Mail, without junk, drafts and deleted items.',
  icon: 'M8 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12.5 7H21v10h-8.5M21 7.5l-6.5 5',
  color: '#0f6cbd',
  ...microsoft,
  async createAdapter(settings, deps) {
    const { createOutlookAdapter } = await import('./adapter.ts')
    return createOutlookAdapter({ ...deps, settings: readMicrosoftSettings(settings) })
  },
})
