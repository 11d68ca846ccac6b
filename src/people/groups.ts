import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { clearMembers, membersOfGroup, setMembers } from './principal-members.ts'
import { canonicalGroupId, groupPrincipal, userPrincipal } from './principals.ts'
import { changePeople } from './revision.ts'
import type { Group } from './schemas.ts'

export type GroupOrigin = Row<'person_groups'>['origin']

export interface GroupPage {
  groups: Group[]
  nextCursor: string | null
}

export interface Groups {
  /** A page of the groups, newest first. @throws AppError `validation_failed` for a cursor of another list */
  list(organizationId: string, query: PageQuery): Promise<GroupPage>
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<Group>
  /** Creates a group, or replaces its name and members. @throws AppError `group_limit_reached`, `group_provisioned` */
  put(caller: Caller, id: string, group: { name?: string | undefined; members: string[] }): Promise<Group>
  /** @throws AppError `not_found`, `group_provisioned` */
  remove(caller: Caller, id: string): Promise<{ group: Group; deletedAt: string }>
}

export const GROUPS_MAX = 10_000
export const GROUP_MEMBERS_MAX = 10_000
/** Members shown for each group of a list. */
const LISTED_MEMBERS_MAX = 100

/** Groups stored through this API, and those that the identity provider provisions. */
export function createGroups({ db, clock }: { db: Db; clock: Clock }): Groups {
  return {
    list: (organizationId, query) => listGroups(db, organizationId, query),
    get: (organizationId, id) => readGroup(db, organizationId, canonicalGroupId(id)),
    put: (caller, id, group) =>
      changePeople(db, caller.organizationId, (tx) =>
        putGroup(tx, caller, { ...group, id: canonicalGroupId(id) }, clock.now()),
      ),
    remove: (caller, id) =>
      changePeople(db, caller.organizationId, async (tx) => {
        const at = clock.now()
        const group = await readGroup(tx, caller.organizationId, canonicalGroupId(id))
        requireOwn(group)
        await deleteGroup(tx, caller.organizationId, group.id)
        await recordEvent(tx, caller, {
          action: 'group.delete',
          target: ['group', group.id],
          metadata: { name: group.name, memberCount: group.memberCount },
          providers: [],
          at,
        })
        return { group, deletedAt: at.toISOString() }
      }),
  }
}

const SOURCE_GROUP = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\//i

/** Whether a group can have this id: it must not look like a group of a source. */
export function isGroupId(id: string): boolean {
  const isShort = id.length > 0 && id.length <= 256 && id === id.trim()
  return isShort && !/\p{Cc}/u.test(id) && !id.startsWith('~') && !SOURCE_GROUP.test(id)
}

async function putGroup(
  tx: Tx,
  caller: Caller,
  { id, name, members }: { id: string; name?: string | undefined; members: string[] },
  at: Date,
): Promise<Group> {
  const { organizationId } = caller
  const before = await findGroup(tx, organizationId, id)
  if (before) requireOwn(before)
  else await requireRoom(tx, organizationId)
  const nextName = name ?? before?.name ?? null
  if (before) await updateGroup(tx, { organizationId, id, name: nextName, at })
  else await insertGroup(tx, { organizationId, id, name: nextName, origin: 'api', externalId: null, at })
  const of = membersOfGroup(organizationId, id)
  const { added, removed } = await setMembers(tx, of, members.map(userPrincipal))
  const group = await readGroup(tx, organizationId, id)
  await recordEvent(tx, caller, {
    action: 'group.update',
    target: ['group', id],
    metadata: {
      name: nextName,
      created: before === undefined,
      memberCount: group.memberCount,
      added: added.length,
      removed: removed.length,
    },
    providers: [],
    at,
  })
  return group
}

export async function findGroup(
  db: Db,
  organizationId: string,
  id: string,
): Promise<Row<'person_groups'> | undefined> {
  return await db
    .selectFrom('person_groups')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface NewGroup {
  organizationId: string
  id: string
  name: string | null
  origin: GroupOrigin
  externalId: string | null
  at: Date
}

/** Stores a group without members. @returns the id by which SCIM names it */
export async function insertGroup(tx: Tx, group: NewGroup): Promise<string> {
  const key = randomUUID()
  await tx
    .insertInto('person_groups')
    .values({
      organization_id: group.organizationId,
      id: group.id,
      key,
      name: group.name,
      origin: group.origin,
      external_id: group.externalId,
      created_at: group.at,
      updated_at: group.at,
    })
    .execute()
  return key
}

async function updateGroup(
  tx: Tx,
  { organizationId, id, name, at }: { organizationId: string; id: string; name: string | null; at: Date },
): Promise<void> {
  await tx
    .updateTable('person_groups')
    .set({ name, updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Deletes a group with its memberships, including its own in other groups. */
export async function deleteGroup(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('person_groups')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
  await clearMembers(tx, organizationId, groupPrincipal(id))
}

/** @throws AppError `group_limit_reached` */
export async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  const { used } = await tx
    .selectFrom('person_groups')
    .select(sql<number>`count(*)::int`.as('used'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  if (used < GROUPS_MAX) return
  throw new AppError(
    'group_limit_reached',
    `An organization has at most ${GROUPS_MAX.toLocaleString('en')} groups; delete one first`,
    { details: { used, limit: GROUPS_MAX } },
  )
}

function requireOwn({ id, origin }: { id: string; origin: GroupOrigin }): void {
  if (origin === 'api') return
  throw new AppError('group_provisioned', `Your identity provider manages the group "${id}"; change it there`)
}

const MemberCounts = z.array(
  z.object({ principal: z.string(), members: z.int(), shown: z.array(z.string()) }),
)

async function membersOf(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  shownMax: number,
): Promise<Map<string, { count: number; shown: string[] }>> {
  // People of the directory appear under their login, which is a case-insensitive address of theirs.
  const { rows } = await sql`
    select m.principal, max(m.total)::int as members, array_agg(m.shown order by m.shown) as shown
    from (
      select p.principal, coalesce(person.login, substring(p.member from 6)) as shown,
        count(*) over (partition by p.principal) as total,
        row_number() over (partition by p.principal order by coalesce(person.login, substring(p.member from 6))) as n
      from principal_members p
      left join people person on person.organization_id = p.organization_id
        and p.member = 'person:' || person.id::text
      where p.organization_id = ${organizationId}
        and p.principal = any(${ids.map(groupPrincipal)}::text[])
    ) m
    where m.n <= ${shownMax}
    group by m.principal`.execute(db)
  return new Map(
    MemberCounts.parse(rows).map((row) => [
      row.principal.slice('group:'.length),
      { count: row.members, shown: row.shown },
    ]),
  )
}

async function listGroups(db: Db, organizationId: string, query: PageQuery): Promise<GroupPage> {
  const groups = db.selectFrom('person_groups').selectAll().where('organization_id', '=', organizationId)
  const newest = { at: 'created_at', id: 'key' }
  const { page, nextCursor } = await readPage(groups, ['groups', organizationId], newest, query)
  const ids = page.map(({ id }) => id)
  const members = await membersOf(db, organizationId, ids, LISTED_MEMBERS_MAX)
  return { groups: page.map((row) => toView(row, members.get(row.id))), nextCursor }
}

async function readGroup(db: Db, organizationId: string, id: string): Promise<Group> {
  const row = await findGroup(db, organizationId, id)
  if (!row) throw new AppError('not_found', 'There is no such group')
  const members = await membersOf(db, organizationId, [id], GROUP_MEMBERS_MAX)
  return toView(row, members.get(id))
}

function toView(row: Row<'person_groups'>, members: { count: number; shown: string[] } | undefined): Group {
  return {
    id: row.id,
    name: row.name,
    origin: row.origin,
    memberCount: members?.count ?? 0,
    members: members?.shown ?? [],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
