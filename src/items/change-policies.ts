import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { internPolicies, NOBODY_ID, principalsOfPolicy } from '../permissions/index.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { inSizedParts } from '../kernel/in-parts.ts'
import type { AccessPolicy, PermissionsPage } from '../providers/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { contentHash, fieldsOf } from './item.ts'
import { originOf } from './item-policies.ts'

export type PolicyChange = PermissionsPage['policies'][number]

export type PolicySource = SourceRef & { provider: ProviderId }

/** Per transaction, which reads the contents for hashing. One item may be larger. */
const ITEMS_AT_ONCE = 100
const TEXT_BYTES_AT_ONCE = 512 * 1024

export interface PolicyRead {
  /** Items that were stored between `since` and `now` keep their policy: it may be newer than the given one. */
  since: Date
  /** By the same clock as `since`. Items dated over a minute later were dated by a wrong clock, so they are changed. */
  now: Date
  /** Called at the beginning of each transaction. */
  within: (tx: Tx) => Promise<void>
}

/** Updates policies of items that a source's runs stored. Returns the count. */
export async function changePolicies(
  db: Db,
  source: PolicySource,
  policies: readonly PolicyChange[],
  read: PolicyRead,
): Promise<number> {
  const changed = await findChanged(db, source, policies)
  let count = 0
  const most = { count: ITEMS_AT_ONCE, size: TEXT_BYTES_AT_ONCE }
  for (const some of inSizedParts(changed, ({ bytes }) => bytes, most))
    count += await store(db, source, some, read)
  return count
}

const Current = z.array(
  z.object({
    id: z.string(),
    external_id: z.string(),
    bytes: z.number(),
    policy: z.unknown(),
    told: z.boolean(),
  }),
)

interface Changed {
  id: string
  bytes: number
  accessPolicy: AccessPolicy | null
}

/** The items whose stored policy differs. If this source reports no policy, one reported by another source stays. */
async function findChanged(
  db: Db,
  { organizationId, sourceId }: PolicySource,
  policies: readonly PolicyChange[],
): Promise<Changed[]> {
  const wanted = new Map(policies.map(({ externalId, accessPolicy }) => [externalId, accessPolicy]))
  const { rows } = await sql`
    select i.id, s.external_id, octet_length(i.body) as bytes, i.metadata -> 'accessPolicy' as policy, exists (
      select from synced_items o where o.organization_id = s.organization_id
        and o.source_item_id = s.source_item_id and o.source_id <> s.source_id and o.has_policy) as told
    from json_array_elements_text(${JSON.stringify([...wanted.keys()])}::json) as given(external_id)
    join synced_items s on s.organization_id = ${organizationId} and s.source_id = ${sourceId}
      and s.external_id = given.external_id
    join source_items i on i.organization_id = s.organization_id and i.id = s.source_item_id
    order by i.id`.execute(db)
  return Current.parse(rows).flatMap(({ id, external_id, bytes, policy, told }) => {
    const accessPolicy = wanted.get(external_id) ?? null
    const isSame = isDeepStrictEqual(policy ?? null, accessPolicy)
    return isSame || (accessPolicy === null && told) ? [] : [{ id, bytes, accessPolicy }]
  })
}

async function store(
  db: Db,
  source: PolicySource,
  changed: readonly Changed[],
  read: PolicyRead,
): Promise<number> {
  const { organizationId } = source
  const rows = await db
    .selectFrom('source_items')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(
      'id',
      'in',
      changed.map(({ id }) => id),
    )
    .execute()
  const policyOf = new Map(changed.map(({ id, accessPolicy }) => [id, accessPolicy]))
  const policyIds = await internPolicies(
    db,
    organizationId,
    rows.map((row) => {
      const origin = originOf({ provider: row.provider, sourceId: row.source_id }, 'sync')
      return principalsOfPolicy(policyOf.get(row.id) ?? undefined, origin)
    }),
  )
  const values = rows.map((row, n) => changeOf(row, policyOf.get(row.id) ?? null, policyIds[n] ?? NOBODY_ID))
  return await changeItems(db, organizationId, async (tx, noted) => {
    await read.within(tx)
    const ids = await update(tx, source, values, read)
    noted.add(ids)
    return ids.length
  })
}

interface ItemChange {
  id: string
  metadata: string
  before: string
  hash: string
  hasPolicy: boolean
  policyId: number
}

function changeOf(row: Row<'source_items'>, accessPolicy: AccessPolicy | null, policyId: number): ItemChange {
  const { accessPolicy: _, ...rest } = row.metadata
  const metadata = accessPolicy === null ? rest : { ...rest, accessPolicy }
  const hash = contentHash({ ...fieldsOf(row), metadata })
  return {
    id: row.id,
    metadata: JSON.stringify(metadata),
    before: Buffer.from(row.content_sha256).toString('hex'),
    hash,
    hasPolicy: accessPolicy !== null,
    policyId,
  }
}

const Ids = z.array(z.object({ id: z.string() }))

/** The canvas need not read these items again. @returns the ids of those unchanged since they were read */
async function update(
  tx: Tx,
  { organizationId, sourceId }: PolicySource,
  values: readonly ItemChange[],
  { since, now }: PolicyRead,
): Promise<string[]> {
  const { rows } = await sql`
    update source_items i set metadata = g.metadata::jsonb, policy_id = g."policyId",
      content_sha256 = decode(g.hash, 'hex'), updated_at = ${now},
      canvas_sha256 = case when i.canvas_sha256 = i.content_sha256 then decode(g.hash, 'hex') else i.canvas_sha256 end
    from json_to_recordset(${JSON.stringify(values)}::json)
      as g(id uuid, metadata text, before text, hash text, "policyId" int)
    where i.organization_id = ${organizationId} and i.id = g.id and i.content_sha256 = decode(g.before, 'hex')
      and (i.synced_at <= ${since} or i.synced_at > ${new Date(now.getTime() + MINUTE_MS)})
    returning i.id`.execute(tx)
  const ids = new Set(Ids.parse(rows).map(({ id }) => id))
  const updated = JSON.stringify(values.filter(({ id }) => ids.has(id)))
  await sql`
    update synced_items s set has_policy = g."hasPolicy"
    from json_to_recordset(${updated}::json) as g(id uuid, "hasPolicy" boolean)
    where s.organization_id = ${organizationId} and s.source_id = ${sourceId} and s.source_item_id = g.id
      and s.has_policy <> g."hasPolicy"`.execute(tx)
  return [...ids]
}
