import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { NewRow } from '../database/schema.ts'
import { type Clock, DAY_MS } from '../kernel/clock.ts'
import { bumpPermissions, deactivatedIn } from '../people/index.ts'

export interface Identity {
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider has verified that the address is theirs. */
  emailVerified: boolean
  name: string | null
}

/** The precision of the last visit: not every request writes it. */
const SEEN_EVERY_MS = DAY_MS

/** The id of an identity's user, created on first sight. Email and name follow the provider. */
export async function ensureUser(db: Db, clock: Clock, identity: Identity): Promise<string> {
  const known = await db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified', 'name', 'seen_at'])
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst()
  const now = clock.now()
  const email = identity.email ?? known?.email ?? null
  const name = identity.name ?? known?.name ?? null
  // A token without an address does not change the stored one.
  const email_verified = identity.email === null ? (known?.email_verified ?? false) : identity.emailVerified
  const isSame = known?.email === email && known.email_verified === email_verified && known.name === name
  if (known && isSame && wasSeen(known.seen_at, now)) return known.id
  const values = {
    id: known?.id ?? randomUUID(),
    issuer: identity.issuer,
    subject: identity.subject,
    email,
    email_verified,
    name,
    created_at: now,
    seen_at: now,
  }
  if (!known || (known.email === email && known.email_verified === email_verified))
    return await storeUser(db, values)
  return await transact(db, async (tx) => {
    await bumpPermissionsOf(tx, known.id)
    return await storeUser(tx, values)
  })
}

/** @returns the user's id */
async function storeUser(db: Db, values: NewRow<'users'>): Promise<string> {
  const { email, email_verified, name, seen_at } = values
  const row = await db
    .insertInto('users')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ email, email_verified, name, seen_at }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** A new address changes the person's permissions in every workspace. */
async function bumpPermissionsOf(tx: Tx, userId: string): Promise<void> {
  const memberships = await tx
    .selectFrom('memberships')
    .select('organization_id')
    .where('user_id', '=', userId)
    .orderBy('organization_id')
    .execute()
  for (const { organization_id } of memberships) await bumpPermissions(tx, organization_id)
}

function wasSeen(seenAt: Date | null, now: Date): boolean {
  return seenAt !== null && now.getTime() - seenAt.getTime() < SEEN_EVERY_MS
}

/** A user's address, if their identity provider has verified it. */
export async function findVerifiedAddress(tx: Tx, userId: string): Promise<string | null> {
  const user = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('email_verified', '=', true)
    .executeTakeFirst()
  return user?.email ?? null
}

/** Whether a workspace's directory has deactivated a user, who then cannot enter it. */
export async function isDeactivated(db: Db, organizationId: string, userId: string): Promise<boolean> {
  const user = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  return (await deactivatedIn(db, [organizationId], user?.email ?? null)).size > 0
}
