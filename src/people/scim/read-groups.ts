import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import type { Row } from '../../database/schema.ts'
import { AppError } from '../../kernel/errors.ts'
import { GROUP_MEMBERS_MAX } from '../groups.ts'
import { groupPrincipal } from '../principals.ts'
import type { ScimFilter } from './filter.ts'
import type { Range } from './users.ts'

interface ScimGroupMember {
  id: string
  login: string
}

export interface ScimGroup {
  id: string
  displayName: string
  externalId: string | null
  /** Null: not requested. */
  members: ScimGroupMember[] | null
  createdAt: Date
  updatedAt: Date
}

/** Groups, oldest first. With members, a page can be shorter than requested (RFC 7644, section 3.4.2.4). */
export async function listScimGroups(
  db: Db,
  organizationId: string,
  filter: ScimFilter | null,
  { startIndex, count, withMembers }: Range & { withMembers: boolean },
): Promise<{ total: number; groups: ScimGroup[] }> {
  let query = db
    .selectFrom('person_groups')
    .where('organization_id', '=', organizationId)
    .where('origin', '=', 'scim')
  if (filter !== null) query = query.where(conditionOf(filter))
  const { total } = await query.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('key')
    .offset(startIndex - 1)
    .limit(count)
    .execute()
  if (!withMembers) return { total, groups: rows.map((row) => toGroup(row, null)) }
  const page = await firstOf(db, organizationId, rows)
  const people = await readPeople(db, organizationId, page)
  return { total, groups: page.map((row) => toGroup(row, people.get(row.id) ?? [])) }
}

const Counts = z.array(z.object({ principal: z.string(), members: z.int() }))

/** The first groups, which have at most {@link GROUP_MEMBERS_MAX} members together; at least one group. */
async function firstOf<Group extends { id: string }>(
  db: Db,
  organizationId: string,
  groups: readonly Group[],
): Promise<readonly Group[]> {
  const { rows } = await sql`
    select principal, count(*)::int as members from principal_members
    where organization_id = ${organizationId}
      and principal = any(${groups.map(({ id }) => groupPrincipal(id))}::text[])
    group by principal`.execute(db)
  const counts = new Map(Counts.parse(rows).map(({ principal, members }) => [principal, members]))
  let members = 0
  const end = groups.findIndex(({ id }, nth) => {
    members += counts.get(groupPrincipal(id)) ?? 0
    return nth > 0 && members > GROUP_MEMBERS_MAX
  })
  return end < 0 ? groups : groups.slice(0, end)
}

function conditionOf({ attribute, value }: ScimFilter) {
  switch (attribute) {
    case 'displayname':
      // Unlike JavaScript's, the database's case rules depend on its locale.
      return sql<boolean>`lower(name) = lower(${value.trim()})`
    case 'externalid':
      return sql<boolean>`external_id = ${value}`
    default:
      return sql<boolean>`key::text = ${value.trim().toLowerCase()}`
  }
}

/** @throws AppError `not_found` */
export async function findScimGroup(
  db: Db,
  organizationId: string,
  key: string,
): Promise<Row<'person_groups'>> {
  const row = await db
    .selectFrom('person_groups')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .where('origin', '=', 'scim')
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such group')
  return row
}

/** @throws AppError `not_found` */
export async function readScimGroup(db: Db, organizationId: string, key: string): Promise<ScimGroup> {
  const row = await findScimGroup(db, organizationId, key)
  const people = await readPeople(db, organizationId, [row])
  return toGroup(row, people.get(row.id) ?? [])
}

const People = z.array(z.object({ principal: z.string(), id: z.string(), login: z.string() }))

async function readPeople(
  db: Db,
  organizationId: string,
  groups: readonly { id: string }[],
): Promise<Map<string, ScimGroupMember[]>> {
  const { rows } = await sql`
    select m.principal, p.id::text as id, p.login from principal_members m
    join people p on p.organization_id = m.organization_id and m.member = 'person:' || p.id::text
    where m.organization_id = ${organizationId}
      and m.principal = any(${groups.map(({ id }) => groupPrincipal(id))}::text[])
    order by p.login`.execute(db)
  const byPrincipal = Map.groupBy(People.parse(rows), ({ principal }) => principal)
  return new Map(
    groups.map(({ id }) => [
      id,
      (byPrincipal.get(groupPrincipal(id)) ?? []).map((person) => ({ id: person.id, login: person.login })),
    ]),
  )
}

function toGroup(row: Row<'person_groups'>, members: ScimGroupMember[] | null): ScimGroup {
  return {
    id: row.key,
    displayName: row.name ?? row.id,
    externalId: row.external_id,
    members,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
