import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsolePrincipal } from '../kernel/principal.ts'

/**
 * The person inside one of their workspaces: the one named by `X-Organization-Id`, or the only one they have.
 * @throws AppError `not_found` for a workspace that is not theirs, `validation_failed` when they have to choose.
 */
export async function enterWorkspace(
  db: Db,
  userId: string,
  organizationId: string | undefined,
): Promise<ConsolePrincipal> {
  const memberships = await db
    .selectFrom('memberships')
    .select(['organization_id', 'role'])
    .where('user_id', '=', userId)
    .execute()
  const chosen =
    organizationId === undefined
      ? memberships.length === 1
        ? memberships[0]
        : undefined
      : memberships.find((membership) => membership.organization_id === organizationId.toLowerCase())
  if (chosen) {
    return {
      kind: 'console',
      organizationId: chosen.organization_id,
      userId,
      role: chosen.role,
      allowedProviders: null,
    }
  }
  if (organizationId === undefined && memberships.length > 1) {
    throw new AppError('validation_failed', 'You belong to several workspaces; name one in X-Organization-Id')
  }
  throw new AppError('not_found', 'There is no such workspace; GET /v1/console/me lists yours')
}
