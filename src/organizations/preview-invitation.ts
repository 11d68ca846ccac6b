import type { Db } from '../database/database.ts'
import { findRole } from './authority.ts'
import { findInvitation, invitationInvalid, isAddressOf } from './find-invitation.ts'
import { hashSecret } from '../kernel/secret.ts'
import type { InvitationPreview } from './schemas.ts'

/** @throws AppError `invitation_invalid` */
export async function previewInvitation(
  db: Db,
  { userId, secret, at }: { userId: string; secret: string; at: Date },
): Promise<InvitationPreview> {
  const invitation = await findInvitation(db, hashSecret(secret), at)
  const { organization_id: organizationId, email, role, accepted_by_user_id: acceptedBy } = invitation
  const isMember = (await findRole(db, organizationId, userId)) !== undefined
  if (acceptedBy !== null && !isMember) throw invitationInvalid()
  const organization = await db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const people = await db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'email_verified'])
    .where('id', 'in', [userId, invitation.created_by_user_id])
    .execute()
  const user = people.find(({ id }) => id === userId)
  const inviter = people.find(({ id }) => id === invitation.created_by_user_id)
  return {
    workspace: organization.name,
    invitedBy: inviter?.name ?? inviter?.email ?? null,
    role,
    email,
    expiresAt: invitation.expires_at.toISOString(),
    signedInAs: user?.email ?? null,
    isForYou: email === null || (user !== undefined && isAddressOf(user, email)),
    isMember,
  }
}
