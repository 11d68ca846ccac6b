import { defineProvider, type Provider } from '../../provider.ts'
import { google, readGoogleSettings } from '../shared/settings.ts'
import { computePolicyHealth } from './policy-health.ts'

export const googleDrive: Provider<'google_drive'> = defineProvider({
  id: 'google_drive',
  name: 'Google Drive',
  brings: 'Documents and files, with their permissions.',
  icon: 'M9 4h6l6.5 11.5-3 4.5h-13l-3-4.5zM9 4l6.5 11.5h6M5.5 20 12 9.3',
  color: '#188038',
  ...google,
  isForFiles: true,
  reportsReaders: true,
  async createAdapter(settings, deps) {
    const { createGoogleDriveAdapter } = await import('./adapter.ts')
    return createGoogleDriveAdapter({ ...deps, settings: readGoogleSettings(settings) })
  },
  policyHealth: computePolicyHealth,
})
