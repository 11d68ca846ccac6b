import type { Db, Tx } from '../database/database.ts'
import type { Role } from '../kernel/roles.ts'
import { AppError } from '../kernel/errors.ts'

/** Owners manage any role, admins any but owner, members none. */
export function mayManage(actor: Role, target: Role): boolean {
  switch (actor) {
    case 'owner':
      return true
    case 'admin':
      return target !== 'owner'
    case 'member':
      return false
  }
}

/** @throws AppError `role_required` when `actor` may not grant, change or remove the role `target` */
export function requireAuthority(actor: Role, target: Role): void {
  if (mayManage(actor, target)) return
  const needed = target === 'owner' ? 'owner' : 'admin'
  throw new AppError('role_required', `This requires the role ${needed} in the workspace`)
}

/** A person's role in a workspace; undefined for a person outside it. */
export async function findRole(db: Db, organizationId: string, userId: string): Promise<Role | undefined> {
  const membership = await db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return membership?.role
}

/** The caller's role now, which may have changed since. @throws AppError `not_found` for a removed caller */
export async function currentRole(tx: Tx, organizationId: string, userId: string): Promise<Role> {
  const role = await findRole(tx, organizationId, userId)
  if (role === undefined)
    throw new AppError('not_found', 'There is no such workspace; GET /v1/console/me lists yours')
  return role
}
