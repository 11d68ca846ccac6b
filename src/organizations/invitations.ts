import { randomUUID } from 'node:crypto'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import { ROLES, type Role } from '../kernel/roles.ts'
import { type Clock, DAY_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import type { Mailer } from '../mail/index.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { currentRole, mayManage, requireAuthority } from './authority.ts'
import { OPEN_INVITATIONS_MAX } from './limits.ts'
import { hashSecret, newSecret } from '../kernel/secret.ts'
import { describeInvitation } from './mail-invitation.ts'
import { lockOrganization } from './organizations.ts'
import type { Organization, Invitation } from './schemas.ts'
import { findVerifiedAddress } from './users.ts'
import { INVITATION_DAYS } from '../kernel/retention.ts'

export interface CreatedInvitation {
  invitation: Invitation
  /** Contains the secret. */
  url: string
  /** Whether the mail server accepted the mail with the link; null: there is no address or no mail server. */
  isMailed: boolean | null
}

export interface Invitations {
  /** Newest first. */
  list(organizationId: string): Promise<Invitation[]>
  /** @throws AppError `role_required`, `invitation_limit_reached` */
  create(
    caller: ConsoleCaller,
    wanted: { role: Role; email?: string | undefined },
  ): Promise<CreatedInvitation>
  /** @throws AppError `not_found`, `role_required` */
  revoke(caller: ConsoleCaller, id: string): Promise<{ invitation: Invitation; revokedAt: string }>
  /** Makes a person a member; an existing one keeps their role. @throws AppError for the invitation or the limit */
  accept(userId: string, secret: string): Promise<Organization>
}

/** Invitation links to a workspace; each is for one person and valid for a week. */
export function createInvitations(deps: {
  db: Db
  clock: Clock
  publicUrl: () => string
  /** null: no mail is sent. */
  mailer: Mailer | null
  onUnsent: (err: unknown) => void
}): Invitations {
  const { db, clock } = deps
  return {
    async list(organizationId) {
      const rows = await selectOpen(db, organizationId, clock.now())
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(toView)
    },
    async create(caller, { role, email }) {
      const secret = newSecret('inv_')
      const invitation = await transact(db, (tx) =>
        insertInvitation(tx, caller, { role, email, secret, at: clock.now() }),
      )
      // After the #, so that browsers do not send it and servers do not log it.
      const url = `${deps.publicUrl()}/console/invitation#${secret}`
      return { invitation, url, isMailed: await mail(deps, caller.organizationId, { invitation, url }) }
    },
    revoke: (caller, id) => transact(db, (tx) => revoke(tx, caller, id, clock.now())),
    accept: (userId, secret) =>
      transact(db, (tx) => acceptInvitation(tx, { userId, sha256: hashSecret(secret), at: clock.now() })),
  }
}

/** Mails a stored invitation's link while the request waits, since only memory has its secret. Failures are logged. */
async function mail(
  { db, mailer, onUnsent }: Pick<Parameters<typeof createInvitations>[0], 'db' | 'mailer' | 'onUnsent'>,
  organizationId: string,
  { invitation, url }: { invitation: Invitation; url: string },
): Promise<boolean | null> {
  if (mailer === null || invitation.email === null) return null
  try {
    await mailer.send(await describeInvitation(db, organizationId, { invitation, to: invitation.email, url }))
    return true
  } catch (error) {
    onUnsent(error)
    return false
  }
}

/**
 * Revokes the open invitations that a person made beyond their new role. `role` is null if they are removed: then all
 * that they made or that are for their address, so that no link undoes the removal.
 */
export async function dropInvitationsOf(
  tx: Tx,
  organizationId: string,
  userId: string,
  role: Role | null,
): Promise<number> {
  const beyond = ROLES.filter((one) => role === null || !mayManage(role, one))
  if (beyond.length === 0) return 0
  const address = role === null ? await findVerifiedAddress(tx, userId) : null
  const dropped = await tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where(({ eb, or }) =>
      or([
        eb('created_by_user_id', '=', userId),
        ...(address === null ? [] : [eb('email', '=', address.toLowerCase())]),
      ]),
    )
    .where('accepted_by_user_id', 'is', null)
    .where('role', 'in', beyond)
    .returning('id')
    .execute()
  return dropped.length
}

async function insertInvitation(
  tx: Tx,
  caller: ConsoleCaller,
  { role, email, secret, at }: { role: Role; email: string | undefined; secret: string; at: Date },
): Promise<Invitation> {
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  requireAuthority(await currentRole(tx, organizationId, caller.userId), role)
  await tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('expires_at', '<=', at)
    .execute()
  const open = await selectOpen(tx, organizationId, at).execute()
  if (open.length >= OPEN_INVITATIONS_MAX) {
    const used = open.length
    throw new AppError(
      'invitation_limit_reached',
      `A workspace can have ${OPEN_INVITATIONS_MAX} open invitations and has ${used}; revoke one first`,
      { details: { used, limit: OPEN_INVITATIONS_MAX } },
    )
  }
  const row = await tx
    .insertInto('invitations')
    .values({
      organization_id: organizationId,
      id: randomUUID(),
      secret_sha256: hashSecret(secret),
      role,
      email: email?.toLowerCase() ?? null,
      created_by_user_id: caller.userId,
      created_at: at,
      expires_at: new Date(at.getTime() + INVITATION_DAYS * DAY_MS),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordEvent(tx, caller, {
    action: 'member.invite',
    target: ['invitation', row.id],
    metadata: { role, forAddress: row.email !== null },
    providers: [],
    at,
  })
  return toView(row)
}

async function revoke(
  tx: Tx,
  caller: ConsoleCaller,
  id: string,
  at: Date,
): Promise<{ invitation: Invitation; revokedAt: string }> {
  const { organizationId } = caller
  await lockOrganization(tx, organizationId)
  const row = await selectOpen(tx, organizationId, at).where('id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such open invitation')
  requireAuthority(await currentRole(tx, organizationId, caller.userId), row.role)
  await tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
  await recordEvent(tx, caller, {
    action: 'invitation.revoke',
    target: ['invitation', id],
    metadata: { role: row.role },
    providers: [],
    at,
  })
  return { invitation: toView(row), revokedAt: at.toISOString() }
}

function selectOpen(db: Db, organizationId: string, at: Date) {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('accepted_by_user_id', 'is', null)
    .where('expires_at', '>', at)
}

function toView(row: Row<'invitations'>): Invitation {
  return {
    id: row.id,
    role: row.role,
    email: row.email,
    createdBy: row.created_by_user_id,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }
}
