import { sql } from 'kysely'
import { recordEvent } from '../audit/index.ts'
import type { Tx } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'
import { findRole } from './authority.ts'
import { findInvitation, invitationInvalid, isAddressOf } from './find-invitation.ts'
import { MEMBERS_MAX } from './limits.ts'
import { addMember, lockOrganization, selectOrganizations, toOrganizationView } from './organizations.ts'
import type { Organization } from './schemas.ts'

interface Acceptance {
  userId: string
  sha256: Buffer
  at: Date
}

/** Makes a person a member. @throws AppError `invitation_invalid`, `invitation_for_another`, `member_limit_reached` */
export async function acceptInvitation(tx: Tx, { userId, sha256, at }: Acceptance): Promise<Organization> {
  const found = await findInvitation(tx, sha256, at)
  const { organization_id: organizationId } = found
  await lockOrganization(tx, organizationId)
  // Again, under the lock: no other request can use or revoke it now.
  const invitation = await findInvitation(tx, sha256, at)
  const isMember = (await findRole(tx, organizationId, userId)) !== undefined
  if (isMember) return await showOrganization(tx, organizationId, userId)
  if (invitation.accepted_by_user_id !== null) throw invitationInvalid()
  if (invitation.email !== null) await requireAddress(tx, userId, invitation.email)
  await requireRoom(tx, organizationId)
  const { id: invitationId, role } = invitation
  await addMember(tx, { organizationId, userId, role, at })
  await tx
    .updateTable('invitations')
    .set({ accepted_by_user_id: userId })
    .where('organization_id', '=', organizationId)
    .where('id', '=', invitationId)
    .execute()
  const author = { organizationId, userId }
  await recordEvent(tx, author, {
    action: 'member.join',
    target: ['user', userId],
    metadata: { role, invitationId },
    providers: [],
    at,
  })
  await emitEvent(tx, organizationId, { type: 'member.joined', at, data: { userId, role } })
  return await showOrganization(tx, organizationId, userId)
}

async function requireAddress(tx: Tx, userId: string, address: string): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select(['email', 'email_verified'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  if (isAddressOf(user, address)) return
  throw new AppError(
    'invitation_for_another',
    'This invitation is for a specific email address, and your identity provider does not confirm that it is yours; sign in with that address',
  )
}

async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  const { members } = await tx
    .selectFrom('memberships')
    .select(sql<number>`count(*)::int`.as('members'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  if (members < MEMBERS_MAX) return
  const [limit, used] = [MEMBERS_MAX.toLocaleString('en'), members.toLocaleString('en')]
  throw new AppError(
    'member_limit_reached',
    `A workspace can have ${limit} members and has ${used}; remove one first`,
    { details: { used: members, limit: MEMBERS_MAX } },
  )
}

async function showOrganization(tx: Tx, organizationId: string, userId: string): Promise<Organization> {
  const row = await selectOrganizations(tx, userId)
    .where('memberships.organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return toOrganizationView(row)
}
