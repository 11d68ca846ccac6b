import {
  type AccessPolicy,
  type GroupMembers,
  isRejected,
  type PermissionsEnd,
  type PermissionsPage,
} from '../../adapter.ts'
import type { Surveyed } from './feed.ts'
import type { Position } from './position.ts'
import { inParts } from '../../../kernel/in-parts.ts'
import { makeOncePerKey } from '../../../kernel/make-once.ts'

const POLICIES_PER_PAGE = 500

/** An account as returned in lists. Without an `email`, it is looked up. */
export interface Account {
  accountId: string
  email?: string | null
  isActive?: boolean
}

/** Accounts and groups that may read an object. */
export interface Named {
  users: readonly string[]
  groups: readonly string[]
}

export interface Readers {
  surveyed: Surveyed
  /** The position of the runs. */
  position: Position
  prefix: string
  policyOf(id: string): AccessPolicy
  /** Every group that policies name, with the account ids of its members. */
  groups: Iterable<readonly [id: string, members: () => Promise<ReadonlySet<string>>]>
  directory: Directory
}

/**
 * The policies of all stored items, and the members of every group that policies name. Unchanged policies
 * too: an earlier poll may have stored others.
 */
export async function* listReaders(readers: Readers): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const { surveyed, position, prefix, policyOf, groups, directory } = readers
  // Without a mark, the survey may not have read an item's readers.
  const known = surveyed.ids.filter((id) => surveyed.stored.has(id) && position.known[id] !== undefined)
  for (const ids of inParts(known, POLICIES_PER_PAGE)) {
    const policies = ids.map((id) => ({ externalId: prefix + id, accessPolicy: policyOf(id) }))
    yield { groups: [], policies }
  }
  const { gone } = surveyed
  if (gone.length > 0)
    yield { groups: [], policies: gone.map((externalId) => ({ externalId, accessPolicy: null })) }
  const groupIds: string[] = []
  for (const [id, membersOf] of groups) {
    groupIds.push(id)
    const users = await directory.emails(await membersOf())
    const members: GroupMembers = { users, groups: [], domains: [], isWorkspace: false }
    yield { groups: [{ id, members }], policies: [] }
  }
  return { groupIds, needsRun: gone.length > 0 }
}

/** Resolves readers. Accounts that the site does not return cannot read. */
export interface Directory {
  /** The account ids of the named accounts and of the groups' members. */
  named(named: Named): Promise<Set<string>>
  /** The addresses of accounts. Deactivated accounts and people who hide theirs are left out. */
  emails(accountIds: ReadonlySet<string>): Promise<string[]>
}

export function createDirectory(site: {
  members(groupId: string): AsyncGenerator<Account[]>
  users(accountIds: readonly string[]): Promise<Account[]>
}): Directory {
  const addresses = new Map<string, string | null>()
  const note = ({ accountId, email, isActive }: Account): void =>
    void addresses.set(accountId, isActive === false ? null : email || null)

  const membersOf = makeOncePerKey((id: string) =>
    collect(site.members(id), (member) => {
      if (member.email !== undefined) note(member)
      return [member.accountId]
    }),
  )

  return {
    async named({ users, groups }) {
      const readers = new Set(users)
      for (const id of groups) for (const member of await membersOf(id)) readers.add(member)
      return readers
    },
    async emails(accountIds) {
      const unknown = [...accountIds].filter((id) => !addresses.has(id))
      for (const id of unknown) addresses.set(id, null)
      for (const user of await site.users(unknown)) note(user)
      const known = [...accountIds].flatMap((id) => addresses.get(id)?.toLowerCase() ?? [])
      return [...new Set(known)].toSorted()
    },
  }
}

/** The entries of a list; none if the account may not read it. */
export async function collect<Entry, Value>(
  pages: AsyncGenerator<Entry[]>,
  of: (entry: Entry) => readonly Value[],
): Promise<Set<Value>> {
  const all = new Set<Value>()
  try {
    for await (const page of pages) for (const entry of page) for (const value of of(entry)) all.add(value)
  } catch (error) {
    if (!isRejected(error)) throw error
    return new Set()
  }
  return all
}
