import { defineProvider, type Provider } from '../../provider.ts'
import { microsoft, readMicrosoftSettings } from '../shared/settings.ts'

export const teams: Provider<'teams'> = defineProvider({
  id: 'teams',
  name: 'Microsoft Teams',
  brings: 'Threads of the channels that you can open, with the members who may read them.',
  icon: 'M3.5 6.5h11v11h-11zM6.5 10h5M9 10v5M18.5 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17.5 11.5h3.5v3.5a3 3 0 0 1-3.5 3',
  color: '#5b5fc7',
  ...microsoft,
  reportsReaders: true,
  // https://learn.microsoft.com/graph/api/resources/teams-api-overview#polling-requirements
  pollMinutes: 24 * 60,
  async createAdapter(settings, deps) {
    const { createTeamsAdapter } = await import('./adapter.ts')
    return createTeamsAdapter({ ...deps, settings: readMicrosoftSettings(settings) })
  },
})
