import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { Readable } from '../kernel/viewer.ts'
import { type Principals, principalsOf } from '../people/index.ts'

/** An organization's permissions at the start of a request. */
const PermissionState = z.tuple([
  z.object({
    isEnforced: z.boolean(),
    /** The revision of people and groups. */
    revision: z.number(),
    lastPolicy: z.number(),
  }),
])
export type PermissionState = z.output<typeof PermissionState>[0]

/** Which of the policies up to `lastPolicy` a person could read at a revision. */
interface Known {
  revision: number
  lastPolicy: number
  principals: Principals
  readable: Readable
}

/** The size of the cache in bytes: with 20,000 policies one entry takes 2.5 KB. */
const CACHED_BYTES_MAX = 16 * 2 ** 20
const ENTRY_BYTES = 400

const Ids = z.tuple([z.object({ ids: z.string().nullable() })])

const selectState = prepare(`
  select o.permissions = 'enforced' as "isEnforced", o.permissions_revision::float8 as revision,
    coalesce((select max(p.id) from access_policies p where p.organization_id = $1), 0)::float8 as "lastPolicy"
  from organizations o where o.id = $1`)

const selectReadable = prepare(`
  select string_agg(id::text, ',') as ids from (
    select policy_id as id from access_policy_principals
    where organization_id = $1 and policy_id > $2
      and principal = any($3::text[]) and (denies or principal = any($4::text[]))
    group by policy_id having not bool_or(denies)
  ) x`)

export async function readPermissionState(db: Db, organizationId: string): Promise<PermissionState> {
  return PermissionState.parse((await selectState(db, [organizationId])).rows)[0]
}

/** An empty address belongs to no one. */
export type ReadableBy = (organizationId: string, email: string, state: PermissionState) => Promise<Readable>

/** Cached under the revision of people and groups. Policies never change, so only new ones are read. */
export function createReadableBy(db: Db): ReadableBy {
  const cache = new LRUCache<string, Known>({
    maxSize: CACHED_BYTES_MAX,
    sizeCalculation: ({ readable, principals }) =>
      ENTRY_BYTES +
      readable.bytes +
      [...principals.allow, ...principals.deny].reduce((sum, one) => sum + 2 * one.length + 16, 0),
  })
  return async (organizationId, email, { revision, lastPolicy }) => {
    const key = `${organizationId} ${email}`
    const cached = cache.get(key)
    const known = cached?.revision === revision ? cached : undefined
    if (known?.lastPolicy === lastPolicy) return known.readable
    const principals = known?.principals ?? (await principalsOf(db, organizationId, email))
    const { allow, deny } = principals
    const either = [...new Set([...allow, ...deny])]
    const { rows } = await selectReadable(db, [organizationId, known?.lastPolicy ?? 0, either, allow])
    const [{ ids }] = Ids.parse(rows)
    const more = ids === null ? [] : ids.split(',').map(Number)
    const readable = (known?.readable ?? Readable.nothing).with(more)
    cache.set(key, { revision, lastPolicy, principals, readable })
    return readable
  }
}
