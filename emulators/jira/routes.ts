import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { type Call, isRead, refusal, type RouteContext } from './reply.ts'
import { showComment, showIssue, showProject, showUser } from './show.ts'
import { search } from './search.ts'
import type { JiraHolder, JiraIssue, JiraProject } from './state.ts'

interface Route {
  method?: 'POST'
  pattern: RegExp
  /** The documented parameters and their values. */
  parameters: Readonly<Record<string, RegExp>>
  answer(call: Call): EmulatorReply
}

const ANY = /^.+$/
const NUMBER = /^\d+$/
const PAGED = { startAt: NUMBER, maxResults: NUMBER }

const FORBIDDEN = refusal(403, 'You do not have permission to do this.')
const NO_ISSUE = refusal(404, 'Issue does not exist or you do not have permission to see it.')

/** The routes under `/rest/api/3` that the connector uses. */
const ROUTES: readonly Route[] = [
  {
    pattern: /^\/myself$/,
    parameters: { expand: ANY },
    answer: ({ state, accountId }) => {
      const person = state.people.get(accountId ?? '')
      return person === undefined ? refusal(401, 'Client must be authenticated.') : { json: showUser(person) }
    },
  },
  {
    pattern: /^\/project\/search$/,
    parameters: {
      ...PAGED,
      action: /^(?:view|browse|edit)$/,
      status: /^(?:live|archived|deleted)$/,
      expand: /^lead$/,
    },
    answer: (call) =>
      paged(
        call,
        [...call.state.projects.values()].filter(
          (project) =>
            isBrowsed(call, project) && project.isArchived === (call.query.get('status') === 'archived'),
        ),
        (project) => showProject(project, call.query.get('expand') === 'lead'),
      ),
  },
  { method: 'POST', pattern: /^\/search\/jql$/, parameters: {}, answer: search },
  { method: 'POST', pattern: /^\/issue\/bulkfetch$/, parameters: {}, answer: bulkFetch },
  {
    pattern: /^\/issue\/([\w-]+)$/,
    parameters: { fields: ANY, expand: ANY },
    answer: (call) =>
      withIssue(call, (issue) => ({
        json: showIssue(call, issue, (call.query.get('fields') ?? '*all').split(',')),
      })),
  },
  {
    pattern: /^\/issue\/([\w-]+)\/comment$/,
    parameters: { ...PAGED, orderBy: /^[-+]?created$/, expand: /^renderedBody$/ },
    answer: (call) =>
      withIssue(call, ({ id }) =>
        paged(
          call,
          [...call.state.comments.values()].filter(
            (comment) =>
              comment.issueId === id &&
              call.accountId !== null &&
              call.state.readsComment(call.accountId, comment),
          ),
          (comment) => showComment(call.state, comment),
          'comments',
        ),
      ),
  },
  {
    pattern: /^\/project\/([\w-]+)\/permissionscheme$/,
    parameters: { expand: ANY },
    answer: (call) =>
      asAdministrator(call, ({ browsers }) => ({
        json: {
          id: 1,
          name: 'Scheme',
          ...(call.query.has('expand') && {
            permissions: browsers.flatMap((holder, id) => [
              { id, holder: showHolder(holder), permission: 'BROWSE_PROJECTS' },
              { id: id + 1_000, holder: { type: 'anyone' }, permission: 'ADD_COMMENTS' },
            ]),
          }),
        },
      })),
  },
  {
    pattern: /^\/project\/([\w-]+)\/role\/(\d+)$/,
    parameters: { excludeInactiveUsers: ANY },
    answer: (call) =>
      asAdministrator(call, ({ roles }) => {
        const role = roles.get(call.matched[1] ?? '')
        if (role === undefined) return refusal(404, 'Can not retrieve a role actor.')
        const users = role.users.map((accountId) => ({
          type: 'atlassian-user-role-actor',
          actorUser: { accountId },
        }))
        const groups = role.groups.map((groupId) => ({
          type: 'atlassian-group-role-actor',
          actorGroup: { name: groupId, displayName: groupId, groupId },
        }))
        return { json: { id: Number(call.matched[1]), name: 'Role', actors: [...users, ...groups] } }
      }),
  },
  {
    pattern: /^\/project\/([\w-]+)\/issuesecuritylevelscheme$/,
    parameters: {},
    answer: (call) =>
      asAdministrator(call, ({ id, levels }) =>
        levels.size === 0 ? refusal(404, 'No scheme.') : { json: { id: Number(id), name: 'Scheme' } },
      ),
  },
  {
    pattern: /^\/issuesecurityschemes\/(\d+)\/members$/,
    parameters: { ...PAGED, issueSecurityLevelId: NUMBER, expand: ANY },
    answer(call) {
      if (!call.rights.administers || call.accountId === null) return FORBIDDEN
      const levels = call.state.projects.get(call.matched[0] ?? '')?.levels ?? new Map<string, JiraHolder[]>()
      const members = [...levels].flatMap(([level, holders]) => holders.map((holder) => ({ level, holder })))
      return paged(call, members, ({ level, holder }) => ({
        issueSecurityLevelId: Number(level),
        holder:
          holder.type === 'user' ? { type: 'user', user: { accountId: holder.value } } : showHolder(holder),
      }))
    },
  },
  {
    pattern: /^\/applicationrole$/,
    parameters: {},
    answer: ({ state, rights, accountId }) =>
      rights.administers && accountId !== null
        ? {
            json: [...state.applications].map(([key, groups]) => ({
              key,
              groups,
              groupDetails: groups.map((groupId) => ({ name: groupId, groupId })),
            })),
          }
        : FORBIDDEN,
  },
  {
    pattern: /^\/group\/member$/,
    parameters: { ...PAGED, maxResults: /^(?:[1-9]|[1-4]\d|50)$/, groupId: ANY, includeInactiveUsers: ANY },
    answer(call) {
      if (!call.rights.browsesUsers || call.accountId === null) return FORBIDDEN
      const ids = call.state.groups.get(call.query.get('groupId') ?? '')
      if (ids === undefined) return refusal(404, 'The group does not exist.')
      const people = ids.flatMap((id) => call.state.people.get(id) ?? [])
      return paged(
        call,
        people.filter(({ isActive }) => isActive),
        showUser,
      )
    },
  },
  {
    pattern: /^\/user\/bulk$/,
    parameters: { ...PAGED, accountId: ANY },
    answer(call) {
      const ids = call.query.getAll('accountId')
      if (ids.length === 0) return refusal(400, "The 'accountId' parameter is missing.")
      const people = ids.flatMap((id) => call.state.people.get(id) ?? [])
      return paged(call, call.accountId === null ? [] : people, showUser)
    },
  },
]

export function route(request: EmulatorRequest, context: RouteContext): EmulatorReply {
  const path = request.path.replace(/^\/rest\/api\/3(?=\/)/, '')
  for (const { pattern, parameters, answer, method = 'GET' } of ROUTES) {
    const match = pattern.exec(path)
    if (match === null || method !== request.method || path === request.path) continue
    for (const [name, value] of request.query)
      if (parameters[name]?.test(value) !== true) return refusal(400, `The parameter '${name}' is not valid`)
    return answer({ ...request, ...context, matched: match.slice(1) })
  }
  return { status: 404, text: 'Oops, you&#39;ve found a dead link.' }
}

const isBrowsed = ({ state, accountId }: RouteContext, project: JiraProject): boolean =>
  accountId !== null && state.browses(accountId, project)

/** Issues by id, or by key. */
function withIssue(call: Call, answer: (issue: JiraIssue) => EmulatorReply): EmulatorReply {
  const [name = ''] = call.matched
  const issue = call.state.issues.get(name) ?? [...call.state.issues.values()].find(({ key }) => key === name)
  return issue !== undefined && isRead(call, issue) ? answer(issue) : NO_ISSUE
}

function asAdministrator(call: Call, answer: (project: JiraProject) => EmulatorReply): EmulatorReply {
  const [name = ''] = call.matched
  const { projects } = call.state
  const project = projects.get(name) ?? [...projects.values()].find(({ key }) => key === name)
  if (project === undefined || !isBrowsed(call, project))
    return refusal(404, `No project could be found with key '${name}'.`)
  return call.rights.administers ? answer(project) : FORBIDDEN
}

function bulkFetch(call: Call): EmulatorReply {
  const { issueIdsOrKeys: ids, fields }: { issueIdsOrKeys?: unknown; fields?: unknown } = Object(
    JSON.parse(call.body),
  )
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > 100 || !Array.isArray(fields))
    return refusal(400, 'You can request up to 100 issues.')
  const issues = ids
    .flatMap((id) => call.state.issues.get(String(id)) ?? [])
    .filter((issue) => isRead(call, issue))
  return {
    json: { issues: issues.map((issue) => showIssue(call, issue, fields.map(String))), issueErrors: [] },
  }
}

const showHolder = ({ type, value }: JiraHolder) => ({
  type,
  ...(value !== undefined && { parameter: value, value, expand: type }),
})

function paged<Entry>(
  { query, pageMax, path }: Call,
  all: readonly Entry[],
  show: (entry: Entry) => unknown,
  name: 'comments' | 'values' = 'values',
): EmulatorReply {
  const startAt = Number(query.get('startAt') ?? 0)
  const maxResults = Math.min(Number(query.get('maxResults') ?? 50), pageMax)
  const entries = all.slice(startAt, startAt + maxResults).map(show)
  const isLast = startAt + maxResults >= all.length
  return {
    json: {
      self: path,
      startAt,
      maxResults,
      total: all.length,
      // Comment lists do not return it.
      ...(name === 'values' && { isLast }),
      [name]: entries,
    },
  }
}
