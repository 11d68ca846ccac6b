import { defineProvider, type Provider } from '../../provider.ts'
import { urlSetting } from '../../settings.ts'
import { confluenceForm } from './form.ts'

export const confluence: Provider<'confluence'> = defineProvider({
  id: 'confluence',
  name: 'Confluence',
  brings: 'Pages and blog posts of spaces with their comments and attachments, and who may read them.',
  icon: 'M3.5 17c3.5-5 6.5-5 9.5-2.5 2.5 2 4.5 2 7.5-1M20.5 7c-3.5 5-6.5 5-9.5 2.5-2.5-2-4.5-2-7.5 1',
  color: '#1558bc',
  settings: {
    CONFLUENCE_API_URL: urlSetting.describe(
      'Replaces the address of every Confluence site, for a gateway. `PROVIDERS` must also name `confluence`',
    ),
  },
  form: confluenceForm,
  needs: [],
  reportsReaders: true,
  async createAdapter(settings, deps) {
    const { createConfluenceAdapter } = await import('./adapter.ts')
    return createConfluenceAdapter({ apiUrl: settings.CONFLUENCE_API_URL ?? null, ...deps })
  },
})
