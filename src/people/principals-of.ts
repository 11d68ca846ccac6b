import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { domainOf, domainPrincipal, EVERYONE, foldAddress, MEMBER, userPrincipal } from './principals.ts'

/** All principals of a person. Somebody who is no member of the organization has `everyone` alone. */
export async function principalsOf(db: Db, organizationId: string, email: string): Promise<string[]> {
  const address = foldAddress(email)
  if (!(await isMember(db, organizationId, address))) return [EVERYONE]
  const domain = domainOf(address)
  return [EVERYONE, MEMBER, userPrincipal(address), ...(domain === null ? [] : [domainPrincipal(domain)])]
}

// The address has to be theirs as their identity provider says: anybody could claim another.
async function isMember(db: Db, organizationId: string, address: string): Promise<boolean> {
  const row = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.organization_id', '=', organizationId)
    .where('users.email_verified', '=', true)
    .where(sql<boolean>`lower(users.email) = ${address}`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
