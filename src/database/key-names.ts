import type { Db } from './database.ts'

/** The names of an organization's keys, also of revoked ones. */
export async function readKeyNames(
  db: Db,
  organizationId: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, string>> {
  if (ids.size === 0) return new Map()
  const keys = await db
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(keys.map(({ id, name }) => [id, name]))
}
