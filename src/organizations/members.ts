import { sql } from 'kysely'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import type { Role } from '../kernel/roles.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { bumpPermissions } from '../people/index.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { currentRole, requireAuthority } from './authority.ts'
import { deleteThreadsOf } from '../threads/index.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'
import { dropInvitationsOf } from './invitations.ts'
import { lockOrganization } from './organizations.ts'
import type { Member } from './schemas.ts'

export interface Members {
  /** In the order of joining. */
  list(organizationId: string): Promise<Member[]>
  /** @throws AppError `not_found`, `role_required`, `last_owner` */
  changeRole(caller: ConsoleCaller, userId: string, role: Role): Promise<Member>
  /** Removes a member, who can be the caller. @throws AppError `not_found`, `role_required`, `last_owner` */
  remove(caller: ConsoleCaller, userId: string): Promise<{ member: Member; removedAt: string }>
}

/** Changes of one workspace run one after the other, so that it never loses its last owner. */
export function createMembers({ db, clock }: { db: Db; clock: Clock }): Members {
  const withLock = <T>({ organizationId }: ConsoleCaller, act: (tx: Tx) => Promise<T>): Promise<T> =>
    transact(db, async (tx) => {
      await lockOrganization(tx, organizationId)
      return await act(tx)
    })
  return {
    async list(organizationId) {
      const rows = await selectMembers(db, organizationId).execute()
      return rows.map(toView)
    },
    changeRole: (caller, userId, role) =>
      withLock(caller, async (tx) => {
        const { organizationId } = caller
        const actor = await currentRole(tx, organizationId, caller.userId)
        const before = await getMember(tx, organizationId, userId)
        requireAuthority(actor, before.role)
        requireAuthority(actor, role)
        if (before.role === role) return before
        if (before.role === 'owner') await requireAnotherOwner(tx, organizationId)
        await tx
          .updateTable('memberships')
          .set({ role })
          .where('organization_id', '=', organizationId)
          .where('user_id', '=', userId)
          .execute()
        const invitationsRevoked = await dropInvitationsOf(tx, organizationId, userId, role)
        const metadata = { role, formerRole: before.role, invitationsRevoked }
        const at = clock.now()
        await record(tx, caller, 'member.update', userId, metadata, at)
        const data = { userId, role, previousRole: before.role }
        await emitEvent(tx, organizationId, { type: 'member.updated', at, data })
        return { ...before, role }
      }),
    remove: (caller, userId) =>
      withLock(caller, async (tx) => {
        const { organizationId } = caller
        const left = caller.userId === userId
        const actor = await currentRole(tx, organizationId, caller.userId)
        const member = await getMember(tx, organizationId, userId)
        if (!left) requireAuthority(actor, member.role)
        if (member.role === 'owner') await requireAnotherOwner(tx, organizationId)
        await tx
          .deleteFrom('memberships')
          .where('organization_id', '=', organizationId)
          .where('user_id', '=', userId)
          .execute()
        await deleteThreadsOf(tx, organizationId, userId)
        await bumpPermissions(tx, organizationId)
        const invitationsRevoked = await dropInvitationsOf(tx, organizationId, userId, null)
        const at = clock.now()
        await noteFormer(tx, { organization_id: organizationId, user_id: userId, left_at: at })
        const metadata = { role: member.role, left, invitationsRevoked }
        await record(tx, caller, 'member.remove', userId, metadata, at)
        const data = { userId, role: member.role }
        await emitEvent(tx, organizationId, { type: 'member.removed', at, data })
        return { member, removedAt: at.toISOString() }
      }),
  }
}

/** Records the former member: the workspace's audit trail names them as long as it exists. */
async function noteFormer(tx: Tx, former: Row<'former_members'>): Promise<void> {
  await tx
    .insertInto('former_members')
    .values(former)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({ left_at: former.left_at }),
    )
    .execute()
}

async function requireAnotherOwner(tx: Tx, organizationId: string): Promise<void> {
  const { owners } = await tx
    .selectFrom('memberships')
    .select(sql<number>`count(*)::int`.as('owners'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  if (owners > 1) return
  throw new AppError(
    'last_owner',
    'A workspace needs at least one owner, and this is the last; make another member an owner first',
  )
}

async function record(
  tx: Tx,
  caller: ConsoleCaller,
  action: 'member.update' | 'member.remove',
  userId: string,
  metadata: Record<string, unknown>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, { action, target: ['user', userId], metadata, providers: [], at })
}

async function getMember(tx: Tx, organizationId: string, userId: string): Promise<Member> {
  const row = await selectMembers(tx, organizationId)
    .where('memberships.user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such member')
  return toView(row)
}

function selectMembers(db: Db, organizationId: string) {
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'memberships.role', 'memberships.created_at'])
    .where('memberships.organization_id', '=', organizationId)
    .orderBy('memberships.created_at')
    .orderBy('users.id')
}

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>

function toView({ id, name, email, role, created_at }: MemberRow): Member {
  return { id, name, email, role, joinedAt: created_at.toISOString() }
}
