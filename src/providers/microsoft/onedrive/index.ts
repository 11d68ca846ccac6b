import { defineProvider, type Provider } from '../../provider.ts'
import { microsoft, readMicrosoftSettings } from '../shared/settings.ts'

export const onedrive: Provider<'onedrive'> = defineProvider({
  id: 'onedrive',
  name: 'OneDrive and SharePoint',
  brings: 'Files of your OneDrive and of the SharePoint sites you follow, with their permissions.',
  icon: 'M7 18a4 4 0 0 1-.6-7.95A6 6 0 0 1 17.9 9.5 4.3 4.3 0 0 1 17.5 18z',
  color: '#0a64ad',
  ...microsoft,
  reportsReaders: true,
  async createAdapter(settings, deps) {
    const { createOneDriveAdapter } = await import('./adapter.ts')
    return createOneDriveAdapter({ ...deps, settings: readMicrosoftSettings(settings) })
  },
})
