import { defineProvider, type Provider } from '../../../../src/providers/provider.ts'
import { required, secretSetting, urlSetting } from '../../../../src/providers/settings.ts'

export const exampleProvider: Provider<'example'> = defineProvider({
  id: 'example',
  name: 'Example',
  brings: 'Notes, with their readers.',
  icon: 'M6 3h8l4 4v14H6zM9 12h6M9 16h6',
  color: '#5b6270',
  settings: {
    EXAMPLE_CLIENT_ID: secretSetting.describe(
      "Example app's client ID. With the secret, the console offers Example",
    ),
    EXAMPLE_CLIENT_SECRET: secretSetting.describe("Example app's client secret"),
    EXAMPLE_API_URL: urlSetting.describe('Replaces https://api.example.com'),
  },
  client: { id: 'EXAMPLE_CLIENT_ID', secret: 'EXAMPLE_CLIENT_SECRET' },
  reportsReaders: true,
  grants: { family: 'example' },
  async createAdapter(settings, { clock }) {
    const { createExampleAdapter } = await import('./adapter.ts')
    return createExampleAdapter({
      clientId: required(settings.EXAMPLE_CLIENT_ID, 'EXAMPLE_CLIENT_ID'),
      clientSecret: required(settings.EXAMPLE_CLIENT_SECRET, 'EXAMPLE_CLIENT_SECRET'),
      apiUrl: settings.EXAMPLE_API_URL ?? 'https://api.example.com',
      now: () => clock.now(),
    })
  },
})
