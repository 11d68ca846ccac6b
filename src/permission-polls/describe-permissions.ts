import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Caller } from '../kernel/caller.ts'
import { sourcePrincipal } from '../people/index.ts'
import { audienceOf, connectorOf, hasAudience, requireSource } from '../sources/index.ts'
import type { SourcePermissions } from './schemas.ts'

/** A source's permissions, for its page. @throws AppError `not_found` */
export async function describePermissions(db: Db, caller: Caller, id: string): Promise<SourcePermissions> {
  const { organizationId } = caller
  const source = await requireSource(db, caller, id)
  const poll = await db
    .selectFrom('permission_polls')
    .select(['checked_at', 'error_message'])
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', id)
    .executeTakeFirst()
  const kind = source.push_only ? 'pushed' : hasAudience(source.provider) ? 'audience' : 'items'
  return {
    kind,
    audience: kind === 'audience' ? audienceOf(source.audience) : null,
    connector: kind === 'audience' ? connectorOf(source.external_account_id, source.connected_by) : null,
    ...(await count(db, organizationId, id)),
    checkedAt: kind === 'items' ? (poll?.checked_at?.toISOString() ?? null) : null,
    errorMessage: kind === 'items' ? (poll?.error_message ?? null) : null,
  }
}

async function count(
  db: Db,
  organizationId: string,
  id: string,
): Promise<{ people: number; groups: number }> {
  const own = sourcePrincipal(id)
  return await db
    .selectFrom('principal_members')
    .select([
      sql<number>`(count(*) filter (where principal = ${own}))::int`.as('people'),
      sql<number>`(count(distinct principal) filter (where principal <> ${own}))::int`.as('groups'),
    ])
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', id)
    .executeTakeFirstOrThrow()
}
