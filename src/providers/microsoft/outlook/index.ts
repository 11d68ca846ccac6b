import { defineProvider, type Provider } from '../../provider.ts'
import {
  microsoftClient,
  microsoftGrants,
  microsoftSettings,
  readMicrosoftSettings,
} from '../shared/settings.ts'

export const outlook: Provider<'outlook'> = defineProvider({
  id: 'outlook',
  name: 'Outlook',
  brings: 'Mail, without junk, drafts and deleted items.',
  icon: 'mail',
  settings: microsoftSettings,
  client: microsoftClient,
  isGated: false,
  hasChannels: false,
  isForFiles: false,
  tellsReaders: false,
  grants: microsoftGrants,
  async createAdapter(settings, deps) {
    const { createOutlookAdapter } = await import('./adapter.ts')
    return createOutlookAdapter({ ...deps, settings: readMicrosoftSettings(settings) })
  },
})
