import { onTestFinished } from 'vitest'
import { type JiraEmulator, type JiraEmulatorOptions, startJiraEmulator } from '../../emulators/jira/index.ts'
import type { JiraProject } from '../../emulators/jira/state.ts'
import type { TextExtractor } from '../../src/file-text/index.ts'
import { createJiraAdapter } from '../../src/providers/atlassian/jira/adapter.ts'
import { connectSite, SITE, type SiteAccount, type SiteAccountOptions } from './atlassian.ts'

export interface JiraAccount extends SiteAccount {
  jira: JiraEmulator
  /** A project of everybody. */
  hr: JiraProject
}

export interface JiraAccountOptions extends JiraEmulatorOptions, SiteAccountOptions {
  extractor: TextExtractor
  itemsPerPage?: number
  /** The value of the projects field. */
  projects?: string
  prepare?(jira: JiraEmulator): void
}

/** An emulated site with the project HR, connected by the form. Both use one clock. */
export async function connectJira(options: JiraAccountOptions): Promise<JiraAccount> {
  const { extractor, itemsPerPage = 50, projects = '', prepare } = options
  return await connectSite(options, async (clock) => {
    const jira = await startJiraEmulator({ ...options, now: () => clock.now().getTime() })
    const hr = jira.state.createProject('HR')
    prepare?.(jira)
    const adapter = createJiraAdapter({ apiUrl: jira.url, clock, extractor, itemsPerPage })
    const fields = { site: SITE, email: jira.email, token: jira.token(), projects }
    return { adapter, fields, more: { jira, hr } }
  })
}

/** Connects accounts that end with their test. */
export function createConnect(
  extractor: TextExtractor,
): (options?: Partial<JiraAccountOptions>) => Promise<JiraAccount> {
  return async (options = {}) => {
    const account = await connectJira({ extractor, ...options })
    onTestFinished(() => account.jira.close())
    return account
  }
}
