import { z } from 'zod'
import { makeOncePerKey } from '../../../kernel/make-once.ts'
import type { AccessPolicy } from '../../adapter.ts'
import { collect, createDirectory, type Directory, listReaders, type Readers } from '../shared/readers.ts'
import type { Confluence } from './client.ts'
import { guardGroup, readerGroupOf, spaceGroup, type Survey } from './survey.ts'
import type { Tree } from './tree.ts'

const GROUP_MEMBERS_PER_PAGE = 200

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

/** The readers of every space and of every page or folder with a restriction. */
export function listPageReaders(
  confluence: Confluence,
  survey: Survey,
  spaceIds: Iterable<string>,
  at: Pick<Readers, 'position' | 'prefix'>,
): ReturnType<typeof listReaders> {
  const { tree, ids } = survey
  const directory = openDirectory(confluence)
  const resolve = createResolver(confluence, directory)
  const guards = new Set(ids.flatMap((id) => tree.placeOf(id).guard ?? []))
  return listReaders({
    ...at,
    surveyed: survey,
    policyOf: (id) => policyOf(tree, id),
    directory,
    groups: [
      ...[...spaceIds].map((id) => [spaceGroup(id), () => resolve.ofSpace(id)] as const),
      ...[...guards].map((id) => [guardGroup(id), () => resolve.ofGuard(tree, id)] as const),
    ],
  })
}

const openDirectory = (confluence: Confluence): Directory =>
  createDirectory({
    async *members(groupId) {
      const path = `rest/api/group/${encodeURIComponent(groupId)}/membersByGroupId`
      for await (const members of confluence.pages(path, Member, { limit: String(GROUP_MEMBERS_PER_PAGE) }))
        yield members.flatMap(({ accountId }) => (accountId == null ? [] : { accountId }))
    },
    async users(accountIds) {
      const users = await confluence.users(accountIds)
      return users.map(({ accountId, email = null, accountStatus }) => ({
        accountId,
        email,
        isActive: accountStatus == null || accountStatus === 'active',
      }))
    },
  })

/** Resolves the account ids of readers. */
function createResolver(confluence: Confluence, { named }: Directory) {
  const ofSpace = makeOncePerKey(async (id: string): Promise<ReadonlySet<string>> => {
    const assignments = confluence.pages(`api/v2/spaces/${id}/permissions`, Assignment, { limit: '250' })
    const reads = await collect(assignments, ({ principal, operation }) =>
      operation.key === 'read' && operation.targetType === 'space' ? [principal] : [],
    )
    const idsOf = (type: string) => [...reads].flatMap((one) => (one.type === type ? one.id : []))
    return await named({ users: idsOf('user'), groups: idsOf('group') })
  })

  return {
    ofSpace,
    /** The readers of a page or folder with a restriction: the space's readers that every restriction names. */
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
  }
}
