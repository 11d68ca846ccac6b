import { requireLease } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Items } from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import {
  changePeople,
  clearMembers,
  domainPrincipal,
  groupPrincipal,
  principalsOfSource,
  readMembers,
  setMembers,
  sourceGroupPrincipal,
  sourcePrincipal,
  userPrincipal,
} from '../people/index.ts'
import type { GroupMembers, PermissionsPage } from '../providers/index.ts'
import type { LeasedPoll } from './poll-lease.ts'

export interface ApplyDependencies {
  db: Db
  items: Pick<Items, 'changePolicies'>
  clock: Clock
}

/** Stores what a poll read, in transactions that hold its lease. It writes only changes. @throws LeaseLost */
export async function applyPermissions(
  { db, items, clock }: ApplyDependencies,
  poll: LeasedPoll,
  page: PermissionsPage,
): Promise<void> {
  const { sourceId } = poll.source
  if (page.workspace !== undefined)
    await applyMembers(db, poll, sourcePrincipal(sourceId), page.workspace.map(userPrincipal))
  for (const { id, members } of page.groups)
    await applyMembers(db, poll, sourceGroupPrincipal(sourceId, id), principalsOf(sourceId, members))
  if (page.policies.length > 0)
    await items.changePolicies(poll.source, page.policies, {
      since: poll.startedAt,
      now: clock.now(),
      within: (tx) => requireLease(tx, poll.lease),
    })
}

export async function readGroupIds(db: Db, source: SourceRef): Promise<Set<string>> {
  const prefix = sourceGroupPrincipal(source.sourceId, '')
  const principals = await principalsOfSource(db, source)
  return new Set(principals.flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : [])))
}

/** Removes the members of groups that the source no longer has. @throws LeaseLost */
export async function keepGroups(db: Db, poll: LeasedPoll, groupIds: readonly string[]): Promise<void> {
  const { organizationId, sourceId } = poll.source
  const kept = new Set(groupIds.map((id) => sourceGroupPrincipal(sourceId, id)))
  kept.add(sourcePrincipal(sourceId))
  const gone = (await principalsOfSource(db, poll.source)).filter((principal) => !kept.has(principal))
  if (gone.length === 0) return
  await change(db, poll, async (tx) => {
    for (const principal of gone) await clearMembers(tx, organizationId, principal)
  })
}

async function applyMembers(
  db: Db,
  poll: LeasedPoll,
  principal: string,
  members: readonly string[],
): Promise<void> {
  const { organizationId, sourceId } = poll.source
  const wanted = new Set(members)
  const before = new Set(await readMembers(db, organizationId, principal))
  // Most polls find nothing new; then no cached principals are evicted.
  if (before.symmetricDifference(wanted).size === 0) return
  await change(db, poll, async (tx) => {
    await setMembers(tx, { organizationId, principal, sourceId }, [...wanted])
  })
}

async function change(db: Db, poll: LeasedPoll, act: (tx: Tx) => Promise<void>): Promise<void> {
  await changePeople(db, poll.source.organizationId, async (tx) => {
    await requireLease(tx, poll.lease)
    await act(tx)
  })
}

function principalsOf(sourceId: string, { users, groups, domains, isWorkspace }: GroupMembers): string[] {
  return [
    ...users.map(userPrincipal),
    ...groups.map(groupPrincipal),
    ...domains.map(domainPrincipal),
    ...(isWorkspace ? [sourcePrincipal(sourceId)] : []),
  ]
}
