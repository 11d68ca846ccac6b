import { defineProvider, type Provider } from '../../provider.ts'
import {
  microsoftClient,
  microsoftGrants,
  microsoftSettings,
  readMicrosoftSettings,
} from '../shared/settings.ts'

export const teams: Provider<'teams'> = defineProvider({
  id: 'teams',
  name: 'Microsoft Teams',
  brings: 'Threads of the channels that you can open, with the members who may read them.',
  icon: 'hash',
  settings: microsoftSettings,
  client: microsoftClient,
  isGated: false,
  hasChannels: false,
  isForFiles: false,
  tellsReaders: true,
  // https://learn.microsoft.com/graph/api/resources/teams-api-overview#polling-requirements
  pollMinutes: 24 * 60,
  grants: microsoftGrants,
  async createAdapter(settings, deps) {
    const { createTeamsAdapter } = await import('./adapter.ts')
    return createTeamsAdapter({ ...deps, settings: readMicrosoftSettings(settings) })
  },
})
