import { defineProvider, type Provider } from '../../provider.ts'
import { googleClient, googleGrants, googleSettings, readGoogleSettings } from '../shared/settings.ts'
import { computePolicyHealth } from './policy-health.ts'

export const googleDrive: Provider<'google_drive'> = defineProvider({
  id: 'google_drive',
  name: 'Google Drive',
  brings: 'Documents and files, with their permissions.',
  icon: 'drive',
  settings: googleSettings,
  client: googleClient,
  isGated: true,
  hasChannels: false,
  isForFiles: true,
  tellsReaders: true,
  grants: googleGrants,
  async createAdapter(settings, deps) {
    const { createGoogleDriveAdapter } = await import('./adapter.ts')
    return createGoogleDriveAdapter({ ...deps, settings: readGoogleSettings(settings) })
  },
  policyHealth: computePolicyHealth,
})
