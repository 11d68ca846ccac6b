import { defineProvider, type Provider } from '../../../../src/providers/provider.ts'
import { urlSetting } from '../../../../src/providers/settings.ts'
import { exampleForm } from './form.ts'

export const exampleProvider: Provider<'example'> = defineProvider({
  id: 'example',
  name: 'Example',
  brings: 'Notes, with their readers.',
  icon: 'M6 3h8l4 4v14H6zM9 12h6M9 16h6',
  color: '#5b6270',
  settings: {
    EXAMPLE_API_URL: urlSetting.describe(
      'Replaces https://api.example.com. `PROVIDERS` must also name `example`',
    ),
  },
  form: exampleForm,
  needs: [],
  reportsReaders: true,
  async createAdapter(settings, { clock }) {
    const { createExampleAdapter } = await import('./adapter.ts')
    return createExampleAdapter({
      apiUrl: settings.EXAMPLE_API_URL ?? 'https://api.example.com',
      now: () => clock.now(),
    })
  },
})
