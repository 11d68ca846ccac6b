import { randomUUID } from 'node:crypto'
import { type AuditAction, recordEvent } from '../audit/index.ts'
import { putSubscription } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { SubscriptionStatus } from '../database/schema.ts'
import { hasRole, type Role } from '../kernel/roles.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { bumpPermissions, deactivatedIn } from '../people/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import { insertFirstSources } from '../sources/index.ts'
import type { Organization, User } from './schemas.ts'

interface OrganizationChange {
  name?: string | undefined
  permissions?: Organization['permissions'] | undefined
}

export interface Organizations {
  /** The person and their workspaces, oldest first. */
  describeUser(
    userId: string,
  ): Promise<{ user: User; organizations: (Organization & { hasPlan: boolean })[] }>
  create(userId: string, name: string): Promise<Organization>
  /** Changes the caller's current workspace. @throws AppError `not_found` for another one, `role_required` */
  update(caller: ConsoleCaller, id: string, change: OrganizationChange): Promise<Organization>
}

/** Workspaces and their members. A new one is `incomplete` when payments are configured, and `internal` otherwise. */
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
      const rows = await selectOrganizations(db, userId)
        .orderBy('organizations.created_at')
        .orderBy('organizations.id')
        .execute()
      const ids = rows.map(({ id }) => id)
      const deactivated = await deactivatedIn(db, ids, user.email)
      const own = rows.filter(({ id }) => !deactivated.has(id))
      const withPlan = await withPlanAmong(
        db,
        own.map(({ id }) => id),
      )
      const organizations = own.map((row) =>
        Object.assign(toOrganizationView(row), { hasPlan: withPlan.has(row.id) }),
      )
      return { user, organizations }
    },
    async create(userId, name) {
      const at = clock.now()
      return await transact(db, async (tx) => {
        const id = await insertOrganization(tx, {
          name,
          status: paymentsConfigured ? 'incomplete' : 'internal',
          at,
        })
        await addMember(tx, { organizationId: id, userId, role: 'owner', at })
        const author = { organizationId: id, userId }
        await recordEvent(tx, author, {
          action: 'organization.create',
          target: ['organization', id],
          metadata: { name },
          providers: [],
          at,
        })
        return { id, name, role: 'owner', permissions: 'off', createdAt: at.toISOString() }
      })
    },
    update: (caller, id, change) => updateOrganization(db, caller, { id, at: clock.now(), ...change }),
  }
}

async function updateOrganization(
  db: Db,
  caller: ConsoleCaller,
  { id, name, permissions, at }: OrganizationChange & { id: string; at: Date },
): Promise<Organization> {
  if (id !== caller.organizationId) throw new AppError('not_found', 'There is no such workspace')
  if (permissions !== undefined && !hasRole(caller.role, 'owner'))
    throw new AppError('role_required', 'Only owners of the workspace can change its permissions')
  const row = await transact(db, async (tx) => {
    const record = (action: AuditAction, metadata: Record<string, unknown>) =>
      recordEvent(tx, caller, { action, target: ['organization', id], metadata, providers: [], at })
    if (name !== undefined) await record('organization.update', { name })
    if (permissions !== undefined) await record('organization.permissions.update', { permissions })
    return await tx
      .updateTable('organizations')
      .set({ name, permissions })
      .where('id', '=', id)
      .returning(['name', 'permissions', 'created_at'])
      .executeTakeFirstOrThrow()
  })
  return toOrganizationView({ ...row, id, role: caller.role })
}

export interface NewOrganization {
  name: string
  status: SubscriptionStatus
  isLocal?: boolean
  at: Date
}

/** Also stores a push-only source for each provider. The first period starts at `at`. @returns the id */
export async function insertOrganization(
  tx: Tx,
  { name, status, isLocal = false, at }: NewOrganization,
): Promise<string> {
  const id = randomUUID()
  await tx.insertInto('organizations').values({ id, name, is_local: isLocal, created_at: at }).execute()
  await putSubscription(tx, id, { status, tier: null, creditsIncluded: null }, at)
  await insertFirstSources(tx, [id], PROVIDERS, at)
  return id
}

/** Adds a person to a workspace, unless they are a member. */
export async function addMember(
  tx: Db,
  { organizationId, userId, role, at }: { organizationId: string; userId: string; role: Role; at: Date },
): Promise<void> {
  await bumpPermissions(tx, organizationId)
  await tx
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, role, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A user's workspaces, with their role in each. */
export function selectOrganizations(db: Db, userId: string) {
  return db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select([
      'organizations.id',
      'organizations.name',
      'memberships.role',
      'organizations.permissions',
      'organizations.created_at',
    ])
    .where('memberships.user_id', '=', userId)
}

/** Which of these workspaces have a subscription that answers questions. */
async function withPlanAmong(db: Db, organizationIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (organizationIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('subscriptions')
    .select('organization_id')
    .where('organization_id', 'in', organizationIds)
    .where('retrieves', '=', true)
    .execute()
  return new Set(rows.map((row) => row.organization_id))
}

export function toOrganizationView({
  created_at,
  ...view
}: Omit<Organization, 'createdAt'> & { created_at: Date }): Organization {
  return { ...view, createdAt: created_at.toISOString() }
}

/** Locks the organization's row, so that transactions that count run in turn. @throws AppError `not_found` */
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
