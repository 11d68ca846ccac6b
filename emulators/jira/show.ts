import type { SitePerson } from '../kit/atlassian-state.ts'
import type { JiraComment, JiraIssue, JiraProject, JiraState } from './state.ts'

/** Jira's times have a zone without a colon. */
const iso = (at: number): string => new Date(at).toISOString().replace('Z', '+0000')

interface Shown {
  state: JiraState
  accountId: string | null
  pageMax: number
}

export const showUser = ({ accountId, name, email, hidesEmail, isActive }: SitePerson) => ({
  accountId,
  accountType: 'atlassian',
  displayName: name,
  active: isActive,
  ...(!hidesEmail && { emailAddress: email }),
})

const personOf = (state: JiraState, id: string | null) => {
  const person = state.people.get(id ?? '')
  return person === undefined ? null : showUser(person)
}

export const showProject = ({ id, key, name, leadId }: JiraProject, withLead = false) => ({
  id,
  key,
  name,
  projectTypeKey: 'software',
  ...(withLead && { lead: { accountId: leadId, displayName: leadId } }),
})

export const showComment = (state: JiraState, { id, authorId, body, created, visibility }: JiraComment) => ({
  id,
  author: personOf(state, authorId),
  body,
  created: iso(created),
  ...(visibility !== null && { visibility }),
})

/** An issue with the requested fields that the emulator has. */
export function showIssue({ state, accountId, pageMax }: Shown, issue: JiraIssue, names: readonly string[]) {
  const { id, key } = issue
  const project = state.projects.get(issue.projectId)
  const fields: Record<string, () => unknown> = {
    summary: () => issue.summary,
    description: () => issue.description,
    issuetype: () => ({ id: '1', name: issue.type, subtask: false }),
    status: () => ({ id: '1', name: issue.status }),
    assignee: () => personOf(state, issue.assigneeId),
    reporter: () => personOf(state, issue.reporterId),
    labels: () => issue.labels,
    created: () => iso(issue.created),
    updated: () => iso(issue.updated),
    project: () => (project === undefined ? null : showProject(project)),
    security: () => (issue.levelId === null ? null : { id: issue.levelId, name: 'Level' }),
    issuerestriction: () => ({
      issuerestrictions: issue.restrictedTo.length > 0 ? { projectrole: issue.restrictedTo } : {},
      shouldDisplay: true,
    }),
    comment: () => {
      const comments = [...state.comments.values()].filter(
        (comment) => comment.issueId === id && accountId !== null && state.readsComment(accountId, comment),
      )
      const shown = comments.slice(0, pageMax).map((comment) => showComment(state, comment))
      return { comments: shown, maxResults: shown.length, total: comments.length, startAt: 0 }
    },
  }
  const wanted = names.includes('*all') ? Object.keys(fields) : names.filter((name) => name in fields)
  const shown = Object.fromEntries(wanted.map((name) => [name, fields[name]?.()]))
  return {
    id,
    key,
    self: `https://acme.example/rest/api/3/issue/${id}`,
    ...(wanted.length > 0 && { fields: shown }),
  }
}
