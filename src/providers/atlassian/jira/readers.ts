import { z } from 'zod'
import { type AccessPolicy, isRejected, returnIf } from '../../adapter.ts'
import { knownOf } from '../../rest.ts'
import type { Surveyed } from '../shared/feed.ts'
import { inParts } from '../../../kernel/in-parts.ts'
import { makeOnce, makeOncePerKey } from '../../../kernel/make-once.ts'
import { readersIn } from '../shared/position.ts'
import {
  type Account,
  collect,
  createDirectory,
  type Directory,
  listReaders,
  type Named,
  type Readers,
} from '../shared/readers.ts'
import type { Jira } from './client.ts'
import type { Project } from './projects.ts'

const PER_PAGE = '50'
const USERS_AT_ONCE = 50

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/ (Holder object) */
const Holder = z.object({
  type: z.string(),
  value: z.string().nullish(),
  user: z.object({ accountId: z.string() }).nullish(),
})
type Holder = z.output<typeof Holder>

const Scheme = z.object({ permissions: knownOf(z.object({ permission: z.string(), holder: Holder })) })
const SecurityScheme = z.object({ id: z.coerce.string() })
const LevelMember = z.object({ issueSecurityLevelId: z.coerce.string(), holder: Holder })
const Role = z.object({
  actors: knownOf(
    z.object({
      actorUser: z.object({ accountId: z.string().nullish() }).nullish(),
      actorGroup: z.object({ groupId: z.string().nullish() }).nullish(),
    }),
  ),
})
const ApplicationRoles = knownOf(
  z.object({ key: z.string(), groupDetails: knownOf(z.object({ groupId: z.string().nullish() })) }),
)
// An account in an unknown format is left out, and then reads nothing.
const User = z
  .object({ accountId: z.string(), emailAddress: z.string().nullish(), active: z.boolean().nullish() })
  .transform(({ accountId, emailAddress: email = null, active }): Account => ({
    accountId,
    email,
    isActive: active !== false,
  }))

const Users = z.object({ values: knownOf(User) })

/** The policy of an issue: a group of the source, so that a change of readers changes no item. */
export const policyOf = (readers: string | null): AccessPolicy => ({
  visibility: 'restricted',
  ...(readers && { groups: [groupOf(readers)] }),
})

const groupOf = (readers: string): string => `jira-${readers.includes('-') ? 'level' : 'project'}-${readers}`

/** The readers of every project, and of every security level that an issue has. */
export function listIssueReaders(
  jira: Jira,
  surveyed: Surveyed,
  projects: ReadonlyMap<string, Project>,
  at: Pick<Readers, 'position' | 'prefix'>,
): ReturnType<typeof listReaders> {
  const directory = openDirectory(jira)
  const resolve = createResolver(jira, directory, projects)
  const levels = new Set(
    [...surveyed.marks.values()].map(readersIn).filter((readers) => readers.includes('-')),
  )
  return listReaders({
    ...at,
    surveyed,
    policyOf: (id) => policyOf(readersIn(surveyed.marks.get(id) ?? '')),
    directory,
    groups: [
      ...[...projects.keys()].map((id) => [groupOf(id), () => resolve.ofProject(id)] as const),
      ...[...levels].map((readers) => [groupOf(readers), () => resolve.ofLevel(readers)] as const),
    ],
  })
}

const openDirectory = (jira: Jira): Directory =>
  createDirectory({
    members: (groupId) => jira.pages('group/member', User, { groupId, maxResults: PER_PAGE }),
    async users(accountIds) {
      const users: Account[] = []
      for (const some of inParts(accountIds, USERS_AT_ONCE)) {
        const query = some.map((id) => `accountId=${encodeURIComponent(id)}`).join('&')
        const found = await jira.get(`user/bulk?${query}&maxResults=${USERS_AT_ONCE}`, Users)
        users.push(...found.values)
      }
      return users
    },
  })

/** Resolves the account ids of readers. What the account cannot see counts as empty. */
function createResolver(jira: Jira, { named }: Directory, projects: ReadonlyMap<string, Project>) {
  const applicationRoles = makeOnce(() =>
    jira.get('applicationrole', ApplicationRoles).catch(returnIf(isRejected, [])),
  )
  const roleOf = makeOncePerKey(async (path: string): Promise<Named> => {
    const { actors } = await jira.get(path, Role).catch(returnIf(isRejected, { actors: [] }))
    return {
      users: actors.flatMap(({ actorUser }) => actorUser?.accountId ?? []),
      groups: actors.flatMap(({ actorGroup }) => actorGroup?.groupId ?? []),
    }
  })

  async function holds({ type, value, user }: Holder, projectId: string): Promise<Named> {
    if (type === 'user') return only('users', user?.accountId ?? value)
    if (type === 'projectLead') return only('users', projects.get(projectId)?.lead?.accountId)
    if (type === 'group') return only('groups', value)
    if (type === 'projectRole' && value != null) return await roleOf(`project/${projectId}/role/${value}`)
    if (type !== 'applicationRole') return NOBODY
    // Without a name: everybody with access to any application.
    const roles = (await applicationRoles()).filter(({ key }) => !value || key === value)
    return {
      users: [],
      groups: roles.flatMap(({ groupDetails }) => groupDetails.flatMap(({ groupId }) => groupId ?? [])),
    }
  }

  async function all(holders: Iterable<Holder>, projectId: string): Promise<Set<string>> {
    const readers = new Set<string>()
    for (const holder of holders)
      for (const id of await named(await holds(holder, projectId))) readers.add(id)
    return readers
  }

  const ofProject = makeOncePerKey(async (id: string): Promise<ReadonlySet<string>> => {
    const { permissions } = await jira
      .get(`project/${id}/permissionscheme`, Scheme, { expand: 'permissions' })
      .catch(returnIf(isRejected, { permissions: [] }))
    const browsing = permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS')
    return await all(
      browsing.map(({ holder }) => holder),
      id,
    )
  })

  const levelMembers = makeOncePerKey(async (projectId: string) => {
    const path = `project/${projectId}/issuesecuritylevelscheme`
    const scheme = await jira.get(path, SecurityScheme).catch(returnIf(isRejected, null))
    if (scheme === null) return new Set<z.output<typeof LevelMember>>()
    const members = jira.pages(`issuesecurityschemes/${scheme.id}/members`, LevelMember, {
      maxResults: PER_PAGE,
    })
    return await collect(members, (member) => [member])
  })

  return {
    ofProject,
    /** The readers of issues with a security level: the project's readers that the level names. */
    async ofLevel(readers: string): Promise<ReadonlySet<string>> {
      const [projectId = '', level = ''] = readers.split('-')
      const members = [...(await levelMembers(projectId))].filter((one) => one.issueSecurityLevelId === level)
      const among = await all(
        members.map(({ holder }) => holder),
        projectId,
      )
      return (await ofProject(projectId)).intersection(among)
    },
  }
}

const NOBODY: Named = { users: [], groups: [] }
const only = (kind: keyof Named, id: string | null | undefined): Named => ({
  ...NOBODY,
  ...(id != null && { [kind]: [id] }),
})
