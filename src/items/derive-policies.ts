import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { createTask } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { internPolicies, principalsOfPolicy } from '../permissions/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { originOf } from './item-policies.ts'

/** Derives the policies of items without one: stored before policies existed, or inherited by another source. */
export interface PolicyDeriver {
  /** Runs now and every two seconds. */
  start(): void
  /** Derives all missing policies. Never rejects: failures are logged. */
  derive(): Promise<void>
  stop(): Promise<void>
}

const INTERVAL_MS = 2_000
const ITEMS_A_BATCH = 100
/** Between batches the embedded database serves other requests. */
const PAUSE_MS = 10

const Organizations = z.array(z.object({ organization_id: z.string() }))
const Waiting = z.array(
  z.object({
    id: z.string(),
    provider: z.enum(PROVIDERS),
    sourceId: z.string(),
    hash: z.string(),
    accessPolicy: z.unknown(),
    isSynced: z.boolean(),
  }),
)

const selectOrganization = prepare(`
  select organization_id from source_items where policy_id is null and organization_id > $1
  order by organization_id limit 1`)

const selectWaiting = prepare(`
  select i.id, i.provider, i.source_id as "sourceId", encode(i.content_sha256, 'hex') as hash,
    i.metadata -> 'accessPolicy' as "accessPolicy",
    exists (
      select from synced_items s where s.organization_id = $1 and s.source_item_id = i.id
    ) as "isSynced"
  from source_items i
  join organizations o on o.id = i.organization_id and o.removed_at is null
  where i.organization_id = $1 and i.policy_id is null
  order by i.id limit ${ITEMS_A_BATCH}`)

// An item that changed since it was read keeps its policy or waits for the next run.
const updatePolicies = prepare(`
  update source_items i set policy_id = g."policyId"
  from json_to_recordset($2::json) as g(id uuid, "policyId" int, "sourceId" uuid, hash text)
  where i.organization_id = $1 and i.id = g.id and i.policy_id is null and i.source_id = g."sourceId"
    and i.content_sha256 = decode(g.hash, 'hex')`)

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export function createPolicyDeriver({
  db,
  logger,
}: {
  db: Db
  logger: { error(fields: object, message: string): void }
}): PolicyDeriver {
  async function deriveAll(organizationId: string): Promise<void> {
    while (!task.signal.aborted && (await deriveSome(db, organizationId))) await sleep(PAUSE_MS)
  }

  const task = createTask({
    async act() {
      for (let after = BEFORE_ALL; !task.signal.aborted;) {
        const { rows } = await selectOrganization(db, [after])
        const next = Organizations.parse(rows)[0]?.organization_id
        if (next === undefined) return
        after = next
        await deriveAll(next).catch((err: unknown) =>
          logger.error({ organizationId: next, err }, 'access policies could not be derived; will retry'),
        )
      }
    },
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'the search for items without an access policy failed'),
  })

  return {
    start: task.start,
    derive: task.ask,
    stop: task.stop,
  }
}

/** @returns whether more may be waiting */
async function deriveSome(db: Db, organizationId: string): Promise<boolean> {
  const waiting = Waiting.parse((await selectWaiting(db, [organizationId])).rows)
  if (waiting.length === 0) return false
  const policies = waiting.map((item) =>
    principalsOfPolicy(item.accessPolicy, originOf(item, item.isSynced ? 'sync' : 'push')),
  )
  const ids = await internPolicies(db, organizationId, policies)
  const derived = waiting.map(({ id, sourceId, hash }, at) => ({ id, sourceId, hash, policyId: ids[at] }))
  await changeItems(db, organizationId, async (tx, changes) => {
    await updatePolicies(tx, [organizationId, JSON.stringify(derived)])
    changes.add(derived.map(({ id }) => id))
  })
  return waiting.length === ITEMS_A_BATCH
}
