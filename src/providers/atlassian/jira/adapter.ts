import { positionIn, readingFeed } from '../../feed.ts'
import { createFormConnection } from '../../form.ts'
import type { FormAdapter, ProviderSession } from '../../adapter.ts'
import { createSurveyFeed, prefixOf } from '../shared/feed.ts'
import { emptyPosition, Position } from '../shared/position.ts'
import { createSites, requireFound, type SiteOptions } from '../shared/site.ts'
import { createJira, NAME } from './client.ts'
import { JiraChoice, jiraForm } from './form.ts'
import { readIssue } from './issue.ts'
import { findProjects } from './projects.ts'
import { listIssueReaders } from './readers.ts'
import { surveyIssues } from './survey.ts'

/** Reads the issues of a Jira Cloud site with an account's email and API token. */
export function createJiraAdapter(options: SiteOptions): FormAdapter {
  const { extractor, itemsPerPage = 50 } = options
  const sites = createSites({ name: NAME, open: createJira }, options)
  async function openRun(session: ProviderSession) {
    const choice = JiraChoice.parse(session.extra)
    const jira = await sites.open(session, choice)
    const { found: projects } = await findProjects(jira, choice.projects)
    return { jira, session, extractor, site: choice.site, projects, prefix: prefixOf(choice.site) }
  }
  return {
    provider: 'jira',
    ...createFormConnection(jiraForm, ({ projects, ...login }, signal) =>
      sites.connect(login, signal, async (jira) => {
        requireFound(NAME, 'project', await findProjects(jira, projects))
        return { projects }
      }),
    ),
    ...readingFeed(async (session) => {
      const run = await openRun(session)
      const { prefix } = run
      return createSurveyFeed({
        session,
        prefix,
        itemsPerPage,
        survey: (position) => surveyIssues({ ...run, position }),
        read: (id) => readIssue(run, prefix + id, id),
      })
    }),
    async *listPermissions(session, { cursor }) {
      const run = await openRun(session)
      const { jira, projects, prefix } = run
      const position = positionIn(cursor, Position) ?? emptyPosition()
      const surveyed = await surveyIssues({ ...run, position })
      return yield* listIssueReaders(jira, surveyed, projects, { position, prefix })
    },
  }
}
