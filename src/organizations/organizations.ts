import { randomUUID } from 'node:crypto'
import { recordEvent } from '../audit/index.ts'
import { putSubscription } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { SubscriptionStatus } from '../database/schema.ts'
import type { Role } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { actorOf, type ConsolePrincipal } from '../kernel/principal.ts'
import { insertPushOnlySources } from '../sources/index.ts'

export interface OrganizationView {
  id: string
  name: string
  role: Role
  createdAt: string
}

export interface UserView {
  id: string
  email: string | null
  name: string | null
}

export interface Organizations {
  /** The person and the workspaces they belong to, oldest first. */
  describeUser(userId: string): Promise<{ user: UserView; organizations: OrganizationView[] }>
  /** Makes a workspace that the person owns. */
  create(userId: string, name: string): Promise<OrganizationView>
  /** Renames the workspace that the caller is in. @throws AppError `not_found` for another one */
  rename(caller: ConsolePrincipal, id: string, name: string): Promise<OrganizationView>
}

/** Workspaces and their members. New ones are `incomplete` where somebody has to pay, and `internal` otherwise. */
export function createOrganizations(deps: {
  db: Db
  clock: Clock
  paymentsConfigured: boolean
}): Organizations {
  const { db, clock, paymentsConfigured } = deps
  return {
    async describeUser(userId) {
      const user = await db
        .selectFrom('users')
        .select(['id', 'email', 'name'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      return { user, organizations: await listOrganizations(db, userId) }
    },
    async create(userId, name) {
      const at = clock.now()
      return await db.transaction().execute(async (tx) => {
        const id = await insertOrganization(tx, {
          name,
          status: paymentsConfigured ? 'incomplete' : 'internal',
          at,
        })
        await addMember(tx, { organizationId: id, userId, role: 'owner', at })
        await recordEvent(tx, {
          organizationId: id,
          actor: { userId, apiKeyId: null },
          action: 'organization.create',
          targetType: 'organization',
          targetId: id,
          metadata: { name },
          providers: [],
          at,
        })
        return { id, name, role: 'owner', createdAt: at.toISOString() }
      })
    },
    async rename(caller, id, name) {
      if (id !== caller.organizationId) throw new AppError('not_found', 'There is no such workspace')
      const at = clock.now()
      const { created_at } = await db.transaction().execute(async (tx) => {
        await recordEvent(tx, {
          organizationId: id,
          actor: actorOf(caller),
          action: 'organization.update',
          targetType: 'organization',
          targetId: id,
          metadata: { name },
          providers: [],
          at,
        })
        return await tx
          .updateTable('organizations')
          .set({ name })
          .where('id', '=', id)
          .returning('created_at')
          .executeTakeFirstOrThrow()
      })
      return { id, name, role: caller.role, createdAt: created_at.toISOString() }
    },
  }
}

export interface NewOrganization {
  name: string
  status: SubscriptionStatus
  isLocal?: boolean
  at: Date
}

/** Stores a workspace with its subscription and a push-only source for each provider, and returns its id. Its first period starts at `at`. */
export async function insertOrganization(
  tx: Tx,
  { name, status, isLocal = false, at }: NewOrganization,
): Promise<string> {
  const id = randomUUID()
  await tx.insertInto('organizations').values({ id, name, is_local: isLocal, created_at: at }).execute()
  await putSubscription(tx, id, { status, tier: null, creditsIncluded: null }, at)
  await insertPushOnlySources(tx, id, at)
  return id
}

/** Makes a person a member, unless they are one. */
export async function addMember(
  db: Db,
  member: { organizationId: string; userId: string; role: Role; at: Date },
): Promise<void> {
  await db
    .insertInto('memberships')
    .values({
      organization_id: member.organizationId,
      user_id: member.userId,
      role: member.role,
      created_at: member.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function listOrganizations(db: Db, userId: string): Promise<OrganizationView[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.name', 'memberships.role', 'organizations.created_at'])
    .where('memberships.user_id', '=', userId)
    .orderBy('organizations.created_at')
    .orderBy('organizations.id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    role: row.role,
    createdAt: row.created_at.toISOString(),
  }))
}

/**
 * Holds the organization's row until the transaction ends, so that of two acts that count what it has the second finds what
 * the first made. The mode does not stand in the way of rows that refer to the organization.
 * @throws AppError `not_found` where it is being removed, or gone
 */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such workspace')
}
