import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { groupPrincipal } from './principals.ts'

/** A principal whose members (addresses, groups and domains) are principals too. */
export interface MembersOf {
  organizationId: string
  principal: string
  /** The source whose sync runs and polls maintain it; null: the organization itself. */
  sourceId: string | null
}

export function membersOfGroup(organizationId: string, id: string): MembersOf {
  return { organizationId, principal: groupPrincipal(id), sourceId: null }
}

export interface MemberChange {
  added: string[]
  removed: string[]
}

/** Sorted. */
export async function readMembers(db: Db, organizationId: string, principal: string): Promise<string[]> {
  const rows = await db
    .selectFrom('principal_members')
    .select('member')
    .where('organization_id', '=', organizationId)
    .where('principal', '=', principal)
    .orderBy('member')
    .execute()
  return rows.map(({ member }) => member)
}

const Members = z.array(z.object({ member: z.string() }))

/** Sets a principal's members. It writes only differences. */
export async function setMembers(tx: Tx, of: MembersOf, members: readonly string[]): Promise<MemberChange> {
  const wanted = new Set(members)
  const before = new Set(await readMembers(tx, of.organizationId, of.principal))
  const removed = await removeMembers(tx, of, [...before.difference(wanted)])
  return { added: await addMembers(tx, of, [...wanted.difference(before)]), removed }
}

/** Adds members to a principal. @returns the new ones */
export async function addMembers(
  tx: Tx,
  { organizationId, principal, sourceId }: MembersOf,
  members: readonly string[],
): Promise<string[]> {
  if (members.length === 0) return []
  const { rows } = await sql`
    insert into principal_members (organization_id, principal, member, source_id)
    select ${organizationId}::uuid, ${principal}, given.member, ${sourceId}::uuid
    from json_array_elements_text(${JSON.stringify(members)}::json) as given(member)
    order by given.member
    on conflict do nothing
    returning member`.execute(tx)
  return Members.parse(rows).map(({ member }) => member)
}

/** Removes members from a principal. @returns those that it had */
export async function removeMembers(
  tx: Tx,
  { organizationId, principal }: MembersOf,
  members: readonly string[],
): Promise<string[]> {
  if (members.length === 0) return []
  const { rows } = await sql`
    delete from principal_members m
    using json_array_elements_text(${JSON.stringify(members)}::json) as given(member)
    where m.organization_id = ${organizationId} and m.principal = ${principal} and m.member = given.member
    returning m.member`.execute(tx)
  return Members.parse(rows).map(({ member }) => member)
}

export async function clearMembers(tx: Tx, organizationId: string, principal: string): Promise<void> {
  await tx
    .deleteFrom('principal_members')
    .where('organization_id', '=', organizationId)
    .where('principal', '=', principal)
    .execute()
}

/** Every principal whose members a source maintains. */
export async function principalsOfSource(db: Db, { organizationId, sourceId }: SourceRef): Promise<string[]> {
  const rows = await db
    .selectFrom('principal_members')
    .select('principal')
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .execute()
  return rows.map(({ principal }) => principal)
}
