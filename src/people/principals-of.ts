import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import {
  domainOf,
  domainPrincipal,
  EVERYONE,
  foldAddress,
  isPersonPrincipal,
  MEMBER,
  personPrincipal,
  userPrincipal,
} from './principals.ts'

/** How deep groups in groups are followed: a person, a group of the organization, a group of a source. */
const DEPTH_MAX = 3

export interface Principals {
  /** The principals that a policy can grant to. Sorted. */
  allow: readonly string[]
  /** The principals that a policy can deny: every address of the person, also after deactivation. */
  deny: readonly string[]
}

/** A person's principals. A deactivated person is only `everyone`; an unknown one is their address and domain. */
export async function principalsOf(db: Db, organizationId: string, email: string): Promise<Principals> {
  const address = foldAddress(email)
  if (domainOf(address) === null) return { allow: [EVERYONE], deny: [userPrincipal(address)] }
  const person = await findPerson(db, organizationId, address)
  const addresses = person?.addresses ?? [address]
  const deny = addresses.map(userPrincipal)
  if (person?.isDeactivated) return { allow: [EVERYONE], deny }
  const base = [EVERYONE, ...deny]
  for (const one of addresses) {
    const domain = domainOf(one)
    if (domain !== null) base.push(domainPrincipal(domain))
  }
  if (person) base.push(MEMBER, personPrincipal(person.id))
  else if (await isMember(db, organizationId, address)) base.push(MEMBER)
  const all = await withGroups(db, organizationId, base)
  return { allow: all.filter((principal) => !isPersonPrincipal(principal)).toSorted(), deny }
}

interface PersonRow {
  id: string
  login: string
  email: string | null
  active: boolean
}

// Deleted people keep their row and addresses, so that they do not become unknown people, who may read.
const findPeople = prepare<PersonRow>(`
  select id, login, email, active from people
  where organization_id = $1 and login = $2
  union
  select id, login, email, active from people
  where organization_id = $1 and email = $2`)

interface DirectoryPerson {
  id: string
  addresses: readonly string[]
  isDeactivated: boolean
}

/** The person with this address in the directory. An active one takes precedence over earlier holders. */
async function findPerson(
  db: Db,
  organizationId: string,
  address: string,
): Promise<DirectoryPerson | undefined> {
  const { rows } = await findPeople(db, [organizationId, address])
  const active = rows.filter((row) => row.active).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const [person] = active.length > 0 ? active : rows
  if (!person) return undefined
  // With several deactivated holders, the person is ambiguous: a policy that denies one of them applies.
  const holders = person.active ? [person] : rows
  const held = holders.flatMap(({ login, email }) => [login, email ?? ''])
  const addresses = new Set([address, ...held.filter((one) => domainOf(one) !== null)])
  return { id: person.id, addresses: [...addresses], isDeactivated: !person.active }
}

// Only a verified address counts: anyone could claim another one.
const findMembership = prepare<{ user_id: string }>(`
  select m.user_id from users u
  join memberships m on m.user_id = u.id
  where m.organization_id = $1 and u.email_verified and lower(u.email) = $2
  limit 1`)

async function isMember(db: Db, organizationId: string, address: string): Promise<boolean> {
  return (await findMembership(db, [organizationId, address])).rows.length > 0
}

const findGroups = prepare<{ principal: string }>(`
  select distinct principal from principal_members
  where organization_id = $1 and member = any($2::text[])`)

/** The principals and every group that contains one of them, directly or through other groups. */
async function withGroups(db: Db, organizationId: string, base: readonly string[]): Promise<string[]> {
  const all = new Set(base)
  let fresh = [...base]
  for (let depth = 0; depth < DEPTH_MAX && fresh.length > 0; depth++) {
    const { rows } = await findGroups(db, [organizationId, fresh])
    fresh = rows.map(({ principal }) => principal).filter((principal) => !all.has(principal))
    for (const principal of fresh) all.add(principal)
  }
  return [...all]
}

/** The given organizations whose directory has deactivated or deleted everyone with this address. */
export async function deactivatedIn(
  db: Db,
  organizationIds: readonly string[],
  email: string | null,
): Promise<Set<string>> {
  if (email === null || organizationIds.length === 0) return new Set()
  const address = foldAddress(email)
  const deactivated = new Set<string>()
  for (const id of organizationIds)
    if ((await findPerson(db, id, address))?.isDeactivated) deactivated.add(id)
  return deactivated
}
