import { z } from 'zod'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import {
  type AccessPolicy,
  type GroupMembers,
  type PermissionsEnd,
  type PermissionsPage,
  ProviderError,
} from '../provider.ts'
import type { Confluence } from './client.ts'
import { type Position, readersIn } from './position.ts'
import { guardGroup, readerGroupOf, readersMark, spaceGroup, type Survey } from './survey.ts'
import type { Layer, Tree } from './tree.ts'

const GROUP_MEMBERS_PER_PAGE = 200
const POLICIES_PER_PAGE = 500

const Assignment = z.object({
  principal: z.object({ type: z.string(), id: z.string() }).catch({ type: '', id: '' }),
  operation: z.object({ key: z.string(), targetType: z.string() }),
})
const Member = z.object({ accountId: z.string().nullish() })

/** The policy of a page: a group of the source, so that a change of readers changes no item. */
export function policyOf(tree: Tree, id: string): AccessPolicy {
  const group = readerGroupOf(tree, id)
  return { visibility: 'restricted', ...(group !== null && { groups: [group] }) }
}

/**
 * The readers of every space and of every page or folder with a restriction, and the policies of pages that differ from
 * those at the runs' position.
 */
export async function* listReaders(
  confluence: Confluence,
  { tree, pages, gone }: Survey,
  spaceIds: Iterable<string>,
  { position, prefix }: { position: Position; prefix: string },
): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const changed = await inSlices(eachChanged(pages, tree, position))
  for (let start = 0; start < changed.length; start += POLICIES_PER_PAGE) {
    const ids = changed.slice(start, start + POLICIES_PER_PAGE)
    const policies = ids.map((id) => ({ externalId: prefix + id, accessPolicy: policyOf(tree, id) }))
    yield { groups: [], policies }
  }
  if (gone.length > 0)
    yield { groups: [], policies: gone.map((externalId) => ({ externalId, accessPolicy: null })) }
  const resolve = createResolver(confluence)
  const groupIds: string[] = []
  for (const id of spaceIds) {
    groupIds.push(spaceGroup(id))
    yield await groupPage(spaceGroup(id), resolve.emails(await resolve.ofSpace(id)))
  }
  const guards = new Set(pages.flatMap((id) => tree.placeOf(id).guard ?? []))
  for (const id of guards) {
    groupIds.push(guardGroup(id))
    yield await groupPage(guardGroup(id), resolve.emails(await resolve.ofGuard(tree, id)))
  }
  return { groupIds, needsRun: gone.length > 0 }
}

function* eachChanged(pages: readonly string[], tree: Tree, { known }: Position): Pausable<string[]> {
  const changed: string[] = []
  for (const id of pages) {
    yield
    const mark = known[id]
    if (mark !== undefined && readersIn(mark) !== readersMark(tree, id)) changed.push(id)
  }
  return changed
}

async function groupPage(id: string, emails: Promise<string[]>): Promise<PermissionsPage> {
  const members: GroupMembers = { users: await emails, groups: [], domains: [], isWorkspace: false }
  return { groups: [{ id, members }], policies: [] }
}

/** Resolves the account IDs of readers. Accounts that Confluence does not name cannot read. */
function createResolver(confluence: Confluence) {
  const groups = new Map<string, Promise<ReadonlySet<string>>>()
  const spaces = new Map<string, Promise<ReadonlySet<string>>>()
  const addresses = new Map<string, string | null>()

  const membersOf = (id: string) =>
    remembered(groups, id, async () => {
      const members = confluence.pages(`rest/api/group/${encodeURIComponent(id)}/membersByGroupId`, Member, {
        limit: String(GROUP_MEMBERS_PER_PAGE),
      })
      return await collect(members, ({ accountId }) => accountId ?? [])
    })

  const named = async ({ users, groups: ids }: Exclude<Layer, null | 'unknown'>): Promise<Set<string>> => {
    const readers = new Set(users)
    for (const id of ids) for (const member of await membersOf(id)) readers.add(member)
    return readers
  }

  const ofSpace = (id: string) =>
    remembered(spaces, id, async () => {
      const assignments = confluence.pages(`api/v2/spaces/${id}/permissions`, Assignment, { limit: '250' })
      const reads = await collect(assignments, ({ principal, operation }) =>
        operation.key === 'read' && operation.targetType === 'space'
          ? `${principal.type}:${principal.id}`
          : [],
      )
      const idsOf = (type: string) =>
        [...reads].flatMap((one) => (one.startsWith(`${type}:`) ? one.slice(type.length + 1) : []))
      return await named({ users: idsOf('user'), groups: idsOf('group') })
    })

  return {
    ofSpace,
    /** Those who may read a page or folder with a restriction: the space's readers whom each restriction names. */
    async ofGuard(tree: Tree, id: string): Promise<ReadonlySet<string>> {
      const chain = tree.chainOf(id)
      let readers = await ofSpace(chain[0]?.spaceId ?? '')
      for (const node of chain) {
        const layer = tree.layerOf(node.id)
        if (layer === 'unknown') return new Set()
        if (layer !== null) readers = readers.intersection(await named(layer))
      }
      return readers
    },
    /** Their addresses. A person who hides theirs is left out. */
    async emails(accountIds: ReadonlySet<string>): Promise<string[]> {
      const unknown = [...accountIds].filter((id) => !addresses.has(id))
      for (const id of unknown) addresses.set(id, null)
      for (const { accountId, email, accountStatus } of await confluence.users(unknown))
        if (accountStatus == null || accountStatus === 'active') addresses.set(accountId, email || null)
      const known = [...accountIds].flatMap((id) => addresses.get(id)?.toLowerCase() ?? [])
      return [...new Set(known)].toSorted()
    },
  }
}

function remembered<Value>(
  cache: Map<string, Promise<Value>>,
  id: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = cache.get(id) ?? make()
  cache.set(id, value)
  return value
}

/** What a list names; nobody when Confluence does not let the account read it. */
async function collect<Entry>(
  pages: AsyncGenerator<Entry[]>,
  of: (entry: Entry) => string | never[],
): Promise<Set<string>> {
  const all = new Set<string>()
  try {
    for await (const page of pages) for (const entry of page) for (const id of [of(entry)].flat()) all.add(id)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    return new Set()
  }
  return all
}
