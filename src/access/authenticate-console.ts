import type { Db } from '../database/database.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { deactivatedIn } from '../people/index.ts'

/**
 * The person in the workspace that `X-Organization-Id` names, or their only one. @throws AppError `not_found`,
 * `validation_failed`
 */
export async function enterWorkspace(
  db: Db,
  userId: string,
  organizationId: string | undefined,
): Promise<ConsoleCaller> {
  const memberships = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.organization_id', 'memberships.role', 'users.email'])
    .where('memberships.user_id', '=', userId)
    .execute()
  const chosen =
    organizationId === undefined
      ? memberships.length === 1
        ? memberships[0]
        : undefined
      : memberships.find((membership) => membership.organization_id === organizationId.toLowerCase())
  if (
    chosen &&
    !(await deactivatedIn(db, [chosen.organization_id], chosen.email)).has(chosen.organization_id)
  ) {
    return {
      kind: 'console',
      organizationId: chosen.organization_id,
      userId,
      role: chosen.role,
      allowedProviders: null,
    }
  }
  if (organizationId === undefined && memberships.length > 1) {
    const message = 'You belong to several workspaces; name one in X-Organization-Id'
    throw validationError([{ path: 'X-Organization-Id', message }])
  }
  throw new AppError('not_found', 'There is no such workspace; GET /v1/console/me lists yours')
}
