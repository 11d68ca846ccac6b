import { defineProvider, type Provider } from '../provider.ts'
import { required, secretSetting, urlSetting } from '../settings.ts'

export const notion: Provider<'notion'> = defineProvider({
  id: 'notion',
  name: 'Notion',
  brings: 'Pages and databases that are shared with the connection.',
  icon: 'M4.5 4.5h15v15h-15zM9 16V8l6 8V8',
  color: '#4a4640',
  settings: {
    NOTION_CLIENT_ID: secretSetting.describe(
      "Notion connection's client ID. With the secret, the console offers Notion",
    ),
    NOTION_CLIENT_SECRET: secretSetting.describe("Notion connection's client secret"),
    NOTION_API_URL: urlSetting.describe('Replaces https://api.notion.com'),
  },
  client: { id: 'NOTION_CLIENT_ID', secret: 'NOTION_CLIENT_SECRET' },
  grants: {
    family: 'notion',
    /** They are grants of the same bot, or of an unknown one. */
    isShared({ extra: one }, { extra: other }) {
      const [bot, otherBot] = [one?.['botId'], other?.['botId']]
      return bot === undefined || otherBot === undefined || bot === otherBot
    },
  },
  async createAdapter(settings, { clock }) {
    const { createNotionAdapter } = await import('./adapter.ts')
    return createNotionAdapter({
      clientId: required(settings.NOTION_CLIENT_ID, 'NOTION_CLIENT_ID'),
      clientSecret: required(settings.NOTION_CLIENT_SECRET, 'NOTION_CLIENT_SECRET'),
      apiUrl: settings.NOTION_API_URL ?? 'https://api.notion.com',
      now: () => clock.now(),
    })
  },
})
