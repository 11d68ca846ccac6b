import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { ItemReader } from './schemas.ts'

/** A policy can name a thousand; only this many are shown. */
const SHOWN_MAX = 200

const Rows = z.array(z.object({ principal: z.string(), denies: z.boolean(), members: z.int() }))

/** The readers in an item's stored policy; empty: no one. */
export async function readersOf(db: Db, organizationId: string, itemId: string): Promise<ItemReader[]> {
  const { rows } = await sql`
    select p.principal, p.denies, (
      select count(*)::int from principal_members m
      where m.organization_id = ${organizationId} and m.principal = p.principal) as members
    from source_items i
    join access_policy_principals p on p.organization_id = i.organization_id and p.policy_id = i.policy_id
    where i.organization_id = ${organizationId} and i.id = ${itemId}
    order by p.denies, p.principal
    limit ${SHOWN_MAX}`.execute(db)
  const readers = Rows.parse(rows).map(toReader)
  // A policy names a group both as the source's and as the organization's. Shows whichever of the two exists.
  return readers.filter(
    ({ kind, name, memberCount }) =>
      kind !== 'group' ||
      memberCount !== 0 ||
      !readers.some((other) => other.kind === 'group' && other.name === name && other.memberCount !== 0),
  )
}

const SOURCE_PREFIX_CHARACTERS = 37

function toReader({ principal, denies: denied, members }: z.output<typeof Rows>[number]): ItemReader {
  const colon = principal.indexOf(':')
  const kind = ItemReader.shape.kind.parse(colon < 0 ? principal : principal.slice(0, colon))
  const rest = principal.slice(colon + 1)
  switch (kind) {
    case 'everyone':
    case 'member':
      return { kind, name: null, memberCount: null, denied }
    case 'source':
      return { kind, name: null, memberCount: members, denied }
    case 'group': {
      const isOfSource = /^[0-9a-f-]{36}\//.test(rest)
      const name = isOfSource ? rest.slice(SOURCE_PREFIX_CHARACTERS) : rest
      return { kind, name, memberCount: members, denied }
    }
    case 'user':
    case 'domain':
      return { kind, name: rest, memberCount: null, denied }
  }
}
