import { sql } from 'kysely'
import { z } from 'zod'
import { type AuditAction, recordEvent } from '../../audit/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Row } from '../../database/schema.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ScimCaller } from '../../kernel/caller.ts'
import { deleteGroup, findGroup, insertGroup, isGroupId, requireRoom } from '../groups.ts'
import { addMembers, membersOfGroup, removeMembers, setMembers } from '../principal-members.ts'
import { canonicalGroupId, groupPrincipal, personPrincipal } from '../principals.ts'
import { changePeople } from '../revision.ts'
import type { ScimFilter } from './filter.ts'
import type { GroupAttributes } from './group-shape.ts'
import type { GroupChange } from './patch-group.ts'
import { findScimGroup, listScimGroups, type ScimGroup, readScimGroup } from './read-groups.ts'
import { scimError } from './scim-error.ts'
import type { Range } from './users.ts'

export interface ScimGroups {
  list(
    organizationId: string,
    filter: ScimFilter | null,
    range: Range & { withMembers: boolean },
  ): Promise<{ total: number; groups: ScimGroup[] }>
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<ScimGroup>
  /** @throws AppError `group_exists`, `group_limit_reached`, `validation_failed` */
  create(caller: ScimCaller, attributes: GroupAttributes): Promise<ScimGroup>
  /** @throws AppError `not_found`, `group_exists`, `validation_failed` */
  replace(caller: ScimCaller, id: string, attributes: GroupAttributes): Promise<ScimGroup>
  /** @throws AppError `not_found`, `group_exists`, `validation_failed` */
  patch(caller: ScimCaller, id: string, changes: readonly GroupChange[]): Promise<ScimGroup>
  /** @throws AppError `not_found` */
  remove(caller: ScimCaller, id: string): Promise<void>
}

/** Policies refer to a group by its display name, which is its id at `/v1/groups`. */
export function createScimGroups({ db, clock }: { db: Db; clock: Clock }): ScimGroups {
  const change = (
    caller: ScimCaller,
    key: string,
    act: (tx: Tx, group: Row<'person_groups'>) => Promise<void>,
  ): Promise<ScimGroup> =>
    changePeople(db, caller.organizationId, async (tx) => {
      await act(tx, await findScimGroup(tx, caller.organizationId, key))
      const after = await readScimGroup(tx, caller.organizationId, key)
      await recordGroup(tx, caller, 'group.update', after, { created: false }, clock.now())
      return after
    })
  return {
    list: (organizationId, filter, range) => listScimGroups(db, organizationId, filter, range),
    get: (organizationId, key) => readScimGroup(db, organizationId, key),
    create: (caller, attributes) =>
      changePeople(db, caller.organizationId, (tx) => create(tx, caller, attributes, clock.now())),
    replace: (caller, key, attributes) =>
      change(caller, key, async (tx, group) => {
        const { id } = await rename(tx, group, attributes, clock.now())
        const people = await requirePeople(tx, caller.organizationId, attributes.members)
        await setMembers(tx, membersOfGroup(caller.organizationId, id), people)
      }),
    patch: (caller, key, changes) =>
      change(caller, key, async (tx, group) => {
        let current: Named = group
        for (const one of changes) current = await apply(tx, current, one, clock.now())
      }),
    remove: (caller, key) =>
      changePeople(db, caller.organizationId, async (tx) => {
        const group = await readScimGroup(tx, caller.organizationId, key)
        await deleteGroup(tx, caller.organizationId, canonicalGroupId(group.displayName))
        await recordGroup(tx, caller, 'group.delete', group, {}, clock.now())
      }),
  }
}

async function create(
  tx: Tx,
  caller: ScimCaller,
  { displayName, externalId, members }: GroupAttributes,
  at: Date,
): Promise<ScimGroup> {
  const { organizationId } = caller
  const id = await requireFree(tx, organizationId, displayName)
  await requireRoom(tx, organizationId)
  const people = await requirePeople(tx, organizationId, members)
  const group = { organizationId, id, name: displayName, origin: 'scim' as const, at }
  const key = await insertGroup(tx, { ...group, externalId: externalId ?? null })
  await addMembers(tx, membersOfGroup(organizationId, id), people)
  const after = await readScimGroup(tx, organizationId, key)
  await recordGroup(tx, caller, 'group.update', after, { created: true }, at)
  return after
}

type Named = Pick<Row<'person_groups'>, 'organization_id' | 'key' | 'id' | 'name'>

/** @returns the group after the change */
async function apply(tx: Tx, group: Named, change: GroupChange, at: Date): Promise<Named> {
  const { organization_id: organizationId, id } = group
  if (change.kind === 'attributes') return await rename(tx, group, change, at)
  const of = membersOfGroup(organizationId, id)
  if (change.kind === 'remove') {
    await removeMembers(tx, of, change.members.map(personPrincipal))
    return group
  }
  const people = await requirePeople(tx, organizationId, change.members)
  if (change.kind === 'add') await addMembers(tx, of, people)
  else await setMembers(tx, of, people)
  return group
}

/** Renames a group; policies refer to it by the new name from then on. @returns the group with its new id and name */
async function rename(
  tx: Tx,
  group: Named,
  { displayName, externalId }: { displayName?: string | undefined; externalId?: string | null | undefined },
  at: Date,
): Promise<Named> {
  const { organization_id: organizationId, key } = group
  const name = displayName ?? group.name ?? group.id
  const isSame = canonicalGroupId(name) === group.id
  const id = isSame ? group.id : await requireFree(tx, organizationId, name)
  await tx
    .updateTable('person_groups')
    .set({ id, name, updated_at: at, external_id: externalId })
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .execute()
  if (!isSame)
    await tx
      .updateTable('principal_members')
      .set({ principal: groupPrincipal(id) })
      .where('organization_id', '=', organizationId)
      .where('principal', '=', groupPrincipal(group.id))
      .execute()
  return { ...group, id, name }
}

/** @throws AppError `group_exists`, `validation_failed` */
async function requireFree(tx: Tx, organizationId: string, displayName: string): Promise<string> {
  const id = canonicalGroupId(displayName)
  if (!isGroupId(id))
    throw scimError(
      'validation_failed',
      'invalidValue',
      'displayName must be 1 to 256 characters, and not begin with ~',
    )
  if (await findGroup(tx, organizationId, id))
    throw scimError('group_exists', 'uniqueness', `A group with the name ${displayName} already exists`)
  return id
}

const Found = z.array(z.object({ id: z.string() }))

/** @throws AppError `validation_failed` for an id outside the directory */
async function requirePeople(tx: Tx, organizationId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const wanted = [...new Set(ids)]
  const { rows } = await sql`
    select p.id::text as id from json_array_elements_text(${JSON.stringify(wanted)}::json) as given(id)
    join people p on p.organization_id = ${organizationId} and p.id = given.id::uuid
    where p.deleted_at is null`.execute(tx)
  const found = new Set(Found.parse(rows).map(({ id }) => id))
  const missing = wanted.find((id) => !found.has(id))
  if (missing !== undefined)
    throw scimError(
      'validation_failed',
      'invalidValue',
      `There is no user ${missing}; groups have users as members`,
    )
  return wanted.map(personPrincipal)
}

async function recordGroup(
  tx: Tx,
  caller: ScimCaller,
  action: AuditAction,
  group: ScimGroup,
  metadata: Record<string, unknown>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, {
    action,
    target: ['group', canonicalGroupId(group.displayName)],
    metadata: {
      name: group.displayName,
      memberCount: group.members?.length ?? 0,
      ...metadata,
      scimTokenId: caller.tokenId,
    },
    providers: [],
    at,
  })
}
