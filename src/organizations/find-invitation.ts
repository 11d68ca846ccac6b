import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { AppError } from '../kernel/errors.ts'
import { INVITATION_DAYS } from '../kernel/retention.ts'
import { isDeactivated } from './users.ts'

/** The unexpired invitation of a link, used or not. @throws AppError `invitation_invalid` */
export async function findInvitation(db: Db, sha256: Buffer, at: Date): Promise<Row<'invitations'>> {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('secret_sha256', '=', sha256)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  if (!row) throw invitationInvalid()
  const { organization_id: organizationId, created_by_user_id: makerId } = row
  // So that no link of theirs undoes the deactivation.
  if (row.accepted_by_user_id === null && (await isDeactivated(db, organizationId, makerId)))
    throw invitationInvalid()
  return row
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
