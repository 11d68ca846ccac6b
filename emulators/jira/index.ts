import { type SiteEmulator, type SiteEmulatorOptions, startAtlassianSite } from '../kit/atlassian-site.ts'
import { textField } from '../kit/fields.ts'
import { refusal } from './reply.ts'
import { route } from './routes.ts'
import { type JiraIssue, JiraState, paragraphs } from './state.ts'

export interface JiraEmulatorOptions extends SiteEmulatorOptions {
  /** The maximum entries of a page, whatever is requested. */
  pageMax?: number
}

export interface JiraEmulator extends SiteEmulator {
  readonly state: JiraState
  /** Ids that are not in the search index yet. */
  readonly unindexed: Set<string>
  /** The account's permissions beyond reading. */
  readonly rights: { administers: boolean; browsesUsers: boolean }
}

/** The part of Jira Cloud's REST API that the connector uses, for Ada's account. It refuses what Jira refuses. */
export async function startJiraEmulator(options: JiraEmulatorOptions = {}): Promise<JiraEmulator> {
  const { now = Date.now, pageMax = 5_000 } = options
  const state = new JiraState(now)
  const unindexed = new Set<string>()
  const rights = { administers: true, browsesUsers: true }
  const site = await startAtlassianSite(
    {
      refusal,
      answer: (request, accountId) =>
        route(request, { state, accountId, unindexed, rights, pageMax, now: now() }),
      control: controlsOf(state),
    },
    options,
  )
  return { ...site, state, unindexed, rights }
}

const text = (body: Record<string, unknown>): unknown => paragraphs(textField(body, 'body'))

/** The control routes. */
function controlsOf(state: JiraState): Record<string, (body: Record<string, unknown>) => unknown> {
  const projectOf = (body: Record<string, unknown>) => {
    const key = textField(body, 'project')
    return [...state.projects.values()].find((project) => project.key === key) ?? state.createProject(key)
  }
  const issueOf = (body: Record<string, unknown>): JiraIssue => {
    const key = textField(body, 'issue')
    const issue = [...state.issues.values()].find((one) => one.key === key)
    if (issue === undefined) throw new Error('there is no such issue')
    return issue
  }
  return {
    issue: (body) =>
      state.add(projectOf(body), { summary: textField(body, 'summary'), description: text(body) }).key,
    edit: (body) => state.edit(issueOf(body), { description: text(body) }),
    comment: (body) => state.comment(issueOf(body), { body: text(body) }).id,
    move: (body) => {
      const issue = issueOf(body)
      state.move(issue, projectOf(body))
      return issue.key
    },
    remove: (body) => state.remove(issueOf(body)),
  }
}
