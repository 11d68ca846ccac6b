import { SiteState } from '../kit/atlassian-state.ts'

/** Who holds a permission or belongs to a security level, as Jira's holder objects name them. */
export interface JiraHolder {
  type:
    | 'anyone'
    | 'applicationRole'
    | 'assignee'
    | 'group'
    | 'projectLead'
    | 'projectRole'
    | 'reporter'
    | 'sd.customer.portal.only'
    | 'user'
  value?: string
}

export interface JiraProject {
  id: string
  key: string
  name: string
  isArchived: boolean
  leadId: string
  /** Who may browse it. */
  browsers: JiraHolder[]
  /** Roles by id. */
  roles: Map<string, { users: string[]; groups: string[] }>
  /** Its issue security scheme: the members of each level by id. */
  levels: Map<string, JiraHolder[]>
}

export interface JiraIssue {
  id: string
  key: string
  projectId: string
  type: string
  summary: string
  description: unknown
  status: string
  assigneeId: string | null
  reporterId: string
  labels: string[]
  created: number
  updated: number
  /** The id of its security level. */
  levelId: string | null
  /** Roles that an issue of a team-managed project is restricted to. */
  restrictedTo: string[]
}

export interface JiraComment {
  id: string
  issueId: string
  authorId: string
  body: unknown
  created: number
  visibility: { type: 'group' | 'role'; value: string; identifier: string } | null
}

/** A document in the Atlassian Document Format with paragraphs. */
export const paragraphs = (...texts: string[]): unknown => ({
  type: 'doc',
  version: 1,
  content: texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
})

/** The content of a site. */
export class JiraState extends SiteState {
  /** The groups that have each application. */
  readonly applications = new Map<string, string[]>([['jira-software', ['staff']]])
  readonly projects = new Map<string, JiraProject>()
  readonly issues = new Map<string, JiraIssue>()
  readonly comments = new Map<string, JiraComment>()
  readonly #numbers = new Map<string, number>()
  #lastTime = 0

  constructor(now: () => number) {
    super(now, 9_990)
  }

  /** No two changes have the same time. */
  #time(): number {
    return (this.#lastTime = Math.max(this.now(), this.#lastTime + 1))
  }

  #nextKey({ id, key }: JiraProject): string {
    const number = (this.#numbers.get(id) ?? 0) + 1
    this.#numbers.set(id, number)
    return `${key}-${number}`
  }

  createProject(key: string, more: Partial<JiraProject> = {}): JiraProject {
    const project: JiraProject = {
      id: this.nextId(),
      key,
      name: `The ${key} project`,
      isArchived: false,
      leadId: 'ada',
      browsers: [{ type: 'applicationRole' }],
      roles: new Map(),
      levels: new Map(),
      ...more,
    }
    this.projects.set(project.id, project)
    return project
  }

  /** The keys of its issues change, but not their times. */
  renameProject(project: JiraProject, key: string, name: string): void {
    for (const issue of this.issues.values())
      if (issue.projectId === project.id) issue.key = issue.key.replace(/^.*-/, `${key}-`)
    Object.assign(project, { key, name })
  }

  removeProject(project: JiraProject): void {
    this.projects.delete(project.id)
    for (const issue of this.issues.values()) if (issue.projectId === project.id) this.remove(issue)
  }

  add(project: JiraProject, more: Partial<JiraIssue> = {}): JiraIssue {
    const id = this.nextId()
    const at = this.#time()
    const issue: JiraIssue = {
      id,
      key: this.#nextKey(project),
      projectId: project.id,
      type: 'Task',
      summary: `Issue ${id}`,
      description: paragraphs('Some text.'),
      status: 'To Do',
      assigneeId: null,
      reporterId: 'ada',
      labels: [],
      created: at,
      updated: at,
      levelId: null,
      restrictedTo: [],
      ...more,
    }
    this.issues.set(id, issue)
    return issue
  }

  edit(issue: JiraIssue, change: Partial<JiraIssue>): void {
    Object.assign(issue, change, { updated: this.#time() })
  }

  /** The key changes, the id stays, and the security level, which belongs to a scheme, is removed. */
  move(issue: JiraIssue, project: JiraProject): void {
    if (issue.projectId === project.id) return
    this.edit(issue, { projectId: project.id, key: this.#nextKey(project), levelId: null })
  }

  remove(issue: JiraIssue): void {
    this.issues.delete(issue.id)
    for (const { id, issueId } of this.comments.values()) if (issueId === issue.id) this.comments.delete(id)
  }

  comment(issue: JiraIssue, more: Partial<JiraComment> = {}): JiraComment {
    const at = this.#time()
    const comment: JiraComment = {
      id: this.nextId(),
      issueId: issue.id,
      authorId: 'bob',
      body: paragraphs('A comment.'),
      created: at,
      visibility: null,
      ...more,
    }
    this.comments.set(comment.id, comment)
    issue.updated = at
    return comment
  }

  editComment(comment: JiraComment, change: Partial<JiraComment>): void {
    Object.assign(comment, change)
    const issue = this.issues.get(comment.issueId)
    if (issue !== undefined) this.edit(issue, {})
  }

  removeComment(comment: JiraComment): void {
    this.comments.delete(comment.id)
    const issue = this.issues.get(comment.issueId)
    if (issue !== undefined) this.edit(issue, {})
  }

  browses(accountId: string, project: JiraProject): boolean {
    return project.browsers.some((holder) => this.#holds(accountId, holder, project, null))
  }

  /** Whether a person may read an issue: its project, security level and roles must allow it. */
  reads(accountId: string, issue: JiraIssue): boolean {
    const project = this.projects.get(issue.projectId)
    if (project === undefined || !project.browsers.some((one) => this.#holds(accountId, one, project, issue)))
      return false
    const level = issue.levelId === null ? null : (project.levels.get(issue.levelId) ?? [])
    if (level !== null && !level.some((holder) => this.#holds(accountId, holder, project, issue)))
      return false
    const roles = issue.restrictedTo
    return (
      roles.length === 0 ||
      roles.some((value) => this.#holds(accountId, { type: 'projectRole', value }, project, issue))
    )
  }

  /** Whether a person who may read an issue may read its comment. */
  readsComment(accountId: string, { visibility, issueId }: JiraComment): boolean {
    if (visibility === null) return true
    if (visibility.type === 'group') return this.isMember(accountId, visibility.identifier)
    const project = this.projects.get(this.issues.get(issueId)?.projectId ?? '')
    const holder = { type: 'projectRole', value: visibility.identifier } as const
    return project !== undefined && this.#holds(accountId, holder, project, null)
  }

  #holds(
    accountId: string,
    { type, value = '' }: JiraHolder,
    project: JiraProject,
    issue: JiraIssue | null,
  ): boolean {
    const role = project.roles.get(value) ?? { users: [], groups: [] }
    const applications = [...this.applications].filter(([key]) => value === '' || value === key)
    return {
      anyone: () => true,
      'sd.customer.portal.only': () => false,
      user: () => value === accountId,
      projectLead: () => project.leadId === accountId,
      reporter: () => issue?.reporterId === accountId,
      assignee: () => issue?.assigneeId === accountId,
      group: () => this.isMember(accountId, value),
      projectRole: () =>
        role.users.includes(accountId) || role.groups.some((id) => this.isMember(accountId, id)),
      applicationRole: () => applications.some(([, ids]) => ids.some((id) => this.isMember(accountId, id))),
    }[type]()
  }
}
