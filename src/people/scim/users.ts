import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type AuditAction, recordEvent } from '../../audit/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Row } from '../../database/schema.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { ScimCaller } from '../../kernel/caller.ts'
import { personPrincipal } from '../principals.ts'
import { changePeople } from '../revision.ts'
import type { ScimFilter } from './filter.ts'
import { patchUser } from './patch-user.ts'
import type { PatchStep } from './patch.ts'
import { scimError } from './scim-error.ts'
import { addressesOf, UserAttributes } from './user-shape.ts'

export interface Person {
  id: string
  attributes: UserAttributes
  createdAt: Date
  updatedAt: Date
}

/** A page of a list; `startIndex` starts at 1. */
export interface Range {
  startIndex: number
  count: number
}

export interface ScimUsers {
  list(
    organizationId: string,
    filter: ScimFilter | null,
    range: Range,
  ): Promise<{ total: number; people: Person[] }>
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<Person>
  /** @throws AppError `person_exists` */
  create(caller: ScimCaller, attributes: UserAttributes): Promise<Person>
  /** @throws AppError `not_found`, `person_exists` */
  replace(caller: ScimCaller, id: string, attributes: UserAttributes): Promise<Person>
  /** @throws AppError `not_found`, `person_exists`, `validation_failed` */
  patch(caller: ScimCaller, id: string, steps: readonly PatchStep[]): Promise<Person>
  /** @throws AppError `not_found` */
  remove(caller: ScimCaller, id: string): Promise<void>
}

/** A deactivated or deleted person reads only what is public and cannot sign in. */
export function createScimUsers({ db, clock }: { db: Db; clock: Clock }): ScimUsers {
  const change = (
    caller: ScimCaller,
    id: string,
    next: (before: UserAttributes) => UserAttributes,
  ): Promise<Person> =>
    changePeople(db, caller.organizationId, async (tx) => {
      const before = await find(tx, caller.organizationId, id)
      return await update(tx, caller, before, next(before.attributes), clock.now())
    })
  return {
    list: (organizationId, filter, range) => list(db, organizationId, filter, range),
    get: (organizationId, id) => find(db, organizationId, id),
    create: (caller, attributes) =>
      changePeople(db, caller.organizationId, (tx) => insert(tx, caller, attributes, clock.now())),
    replace: (caller, id, attributes) => change(caller, id, () => attributes),
    patch: (caller, id, steps) => change(caller, id, (before) => patchUser(before, steps)),
    remove: (caller, id) =>
      changePeople(db, caller.organizationId, async (tx) => {
        await find(tx, caller.organizationId, id)
        await erase(tx, caller, id, clock.now())
      }),
  }
}

async function insert(tx: Tx, caller: ScimCaller, attributes: UserAttributes, at: Date): Promise<Person> {
  const { organizationId } = caller
  await requireUnique(tx, organizationId, attributes, null)
  const row = await tx
    .insertInto('people')
    .values({
      organization_id: organizationId,
      id: randomUUID(),
      ...columnsOf(attributes),
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordPerson(tx, caller, 'person.provision', row.id, { active: row.active }, at)
  return toPerson(row)
}

async function update(
  tx: Tx,
  caller: ScimCaller,
  before: Person,
  attributes: UserAttributes,
  at: Date,
): Promise<Person> {
  const { organizationId } = caller
  if (isDeepStrictEqual(attributes, before.attributes)) return before
  await requireUnique(tx, organizationId, attributes, before.id)
  if (!attributes.active) await keepFormerAddresses(tx, organizationId, { before, attributes, at })
  const row = await tx
    .updateTable('people')
    .set({ ...columnsOf(attributes), updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const isDeactivated = before.attributes.active && !row.active
  if (isDeactivated) await recordPerson(tx, caller, 'person.deactivate', row.id, {}, at)
  else await recordPerson(tx, caller, 'person.update', row.id, { active: row.active }, at)
  return toPerson(row)
}

/** Keeps the addresses that an inactive person loses as those of a deleted one: unknown people may read. */
async function keepFormerAddresses(
  tx: Tx,
  organizationId: string,
  { before, attributes, at }: { before: Person; attributes: UserAttributes; at: Date },
): Promise<void> {
  const former = addressesOf(before.attributes)
  const next = addressesOf(attributes)
  const kept = new Set([next.login, next.email, null])
  if (kept.has(former.login) && kept.has(former.email)) return
  const known = await tx
    .selectFrom('people')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('login', '=', former.login)
    .where('email', 'is not distinct from', former.email)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (known) return
  const values = { ...former, active: false, resource: '{}', created_at: at, updated_at: at, deleted_at: at }
  await tx
    .insertInto('people')
    .values({ organization_id: organizationId, id: randomUUID(), ...values })
    .execute()
}

/** Keeps the row with its addresses, so that they never count as those of an unknown person. */
async function erase(tx: Tx, caller: ScimCaller, id: string, at: Date): Promise<void> {
  const { organizationId } = caller
  await tx
    .updateTable('people')
    .set({ active: false, external_id: null, resource: '{}', deleted_at: at, updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
  await tx
    .deleteFrom('principal_members')
    .where('organization_id', '=', organizationId)
    .where('member', '=', personPrincipal(id))
    .execute()
  await recordPerson(tx, caller, 'person.delete', id, {}, at)
}

async function recordPerson(
  tx: Tx,
  caller: ScimCaller,
  action: AuditAction,
  id: string,
  metadata: Record<string, unknown>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, {
    // An audit event names a user or a key, so it names the user who created the token.
    action,
    target: ['person', id],
    metadata: { ...metadata, scimTokenId: caller.tokenId },
    providers: [],
    at,
  })
}

/** No two people may share an address. @throws AppError `person_exists` */
async function requireUnique(
  tx: Tx,
  organizationId: string,
  attributes: UserAttributes,
  id: string | null,
): Promise<void> {
  const { login, email } = addressesOf(attributes)
  const addresses = email === null ? [login] : [login, email]
  const rows = await tx
    .selectFrom('people')
    .select(['id', 'login', 'active'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('login', 'in', addresses), where('email', 'in', addresses)]))
    .execute()
  const other = rows.find((row) => row.id !== id && (row.login === login || row.active))
  if (!other) return
  throw scimError(
    'person_exists',
    'uniqueness',
    other.login === login
      ? 'A user with this userName already exists'
      : 'Another active user has this address as userName or as primary email',
  )
}

function columnsOf(attributes: UserAttributes) {
  return {
    ...addressesOf(attributes),
    external_id: attributes.externalId ?? null,
    active: attributes.active,
    resource: JSON.stringify(attributes),
  }
}

async function list(
  db: Db,
  organizationId: string,
  filter: ScimFilter | null,
  { startIndex, count }: Range,
): Promise<{ total: number; people: Person[] }> {
  let query = db
    .selectFrom('people')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
  if (filter !== null) query = query.where(conditionOf(filter))
  const { total } = await query.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .offset(startIndex - 1)
    .limit(count)
    .execute()
  return { total, people: rows.map(toPerson) }
}

function conditionOf({ attribute, value }: ScimFilter) {
  const folded = value.trim().toLowerCase()
  switch (attribute) {
    case 'username':
      return sql<boolean>`login = ${folded}`
    case 'emails.value':
    case 'emails':
      return sql<boolean>`email = ${folded}`
    case 'externalid':
      return sql<boolean>`external_id = ${value}`
    case 'displayname':
      return sql<boolean>`lower(resource ->> 'displayName') = lower(${value.trim()})`
    default:
      return sql<boolean>`id::text = ${folded}`
  }
}

async function find(db: Db, organizationId: string, id: string): Promise<Person> {
  const row = await db
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such user')
  return toPerson(row)
}

function toPerson(row: Row<'people'>): Person {
  return {
    id: row.id,
    attributes: UserAttributes.parse(row.resource),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
