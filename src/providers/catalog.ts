import { confluence } from './atlassian/confluence/index.ts'
import { jira } from './atlassian/jira/index.ts'
import { folder } from './folder/index.ts'
import { githubApp } from './github/app/index.ts'
import { github } from './github/index.ts'
import { googleDrive } from './google/drive/index.ts'
import { gmail } from './google/gmail/index.ts'
import { onedrive } from './microsoft/onedrive/index.ts'
import { outlook } from './microsoft/outlook/index.ts'
import { teams } from './microsoft/teams/index.ts'
import { notion } from './notion/index.ts'
import { slack } from './slack/index.ts'
import { web } from './web/index.ts'

/** Every provider, in the order of the API. */
export const CATALOG = [
  slack,
  googleDrive,
  notion,
  gmail,
  folder,
  web,
  github,
  githubApp,
  confluence,
  jira,
  onedrive,
  outlook,
  teams,
] as const

export const DEFAULT_PROVIDERS = ['slack', 'google_drive', 'notion', 'gmail'] as const
export type DefaultProviderId = (typeof DEFAULT_PROVIDERS)[number]

declare module '../kernel/provider-id.ts' {
  interface ProviderRegistry {
    id: (typeof CATALOG)[number]['id']
  }
}
