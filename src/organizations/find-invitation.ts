import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { AppError } from '../kernel/errors.ts'
import { INVITATION_DAYS } from '../kernel/retention.ts'
import { deactivatedIn } from '../people/index.ts'

/** The unexpired invitation of a link, used or not. @throws AppError `invitation_invalid` */
export async function findInvitation(db: Db, sha256: Buffer, at: Date): Promise<Row<'invitations'>> {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('secret_sha256', '=', sha256)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  if (!row || (row.accepted_by_user_id === null && (await isOfDeactivated(db, row))))
    throw invitationInvalid()
  return row
}

/** Whether the person who made an invitation is deactivated now, so that no link of theirs undoes that. */
async function isOfDeactivated(db: Db, invitation: Row<'invitations'>): Promise<boolean> {
  const { organization_id: organizationId, created_by_user_id: makerId } = invitation
  const maker = await db.selectFrom('users').select('email').where('id', '=', makerId).executeTakeFirst()
  return (await deactivatedIn(db, [organizationId], maker?.email ?? null)).size > 0
}

export function invitationInvalid(): AppError {
  return new AppError(
    'invitation_invalid',
    `This invitation is no longer valid: it was used or revoked, or is over ${INVITATION_DAYS} days old; ask for another`,
  )
}

/** Whether the identity provider has verified that an address, in lowercase, is a person's. */
export function isAddressOf(user: Pick<Row<'users'>, 'email' | 'email_verified'>, address: string): boolean {
  return user.email_verified && user.email?.toLowerCase() === address
}
