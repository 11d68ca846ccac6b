import { defineProvider, type Provider } from '../../provider.ts'
import { urlSetting } from '../../settings.ts'
import { jiraForm } from './form.ts'

export const jira: Provider<'jira'> = defineProvider({
  id: 'jira',
  name: 'Jira',
  brings: 'Issues of projects with their comments, and who may read them.',
  icon: 'M12 3l9 9-9 9-9-9zM12 8.5l3.5 3.5-3.5 3.5L8.5 12z',
  color: '#1f5fd0',
  settings: {
    JIRA_API_URL: urlSetting.describe(
      'Replaces the address of every Jira site, for a gateway. `PROVIDERS` must also name `jira`',
    ),
  },
  form: jiraForm,
  needs: [],
  reportsReaders: true,
  async createAdapter(settings, deps) {
    const { createJiraAdapter } = await import('./adapter.ts')
    return createJiraAdapter({ apiUrl: settings.JIRA_API_URL ?? null, ...deps })
  },
})
