import { sql } from 'kysely'
import { isLeaseFree } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import type { DueDelivery, TakenSlots } from './slots.ts'

/** More than there are slots, because a look costs as much as there are due deliveries. */
const FOUND_AT_ONE_LOOK = 500
const FOUND_OF_WEBHOOK = 50
const FOUND_OF_WORKSPACE = 100

/** Free due deliveries, some per webhook and workspace, so that none hides the others. Working webhooks first. */
export async function findDue(db: Db, now: Date, taken: TakenSlots): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select organization_id as "organizationId", id, webhook_id as "webhookId", is_failing as "isFailing"
    from (
      select q.*, row_number() over (partition by organization_id order by nth, next_attempt_at, id) as place
      from (
        select d.organization_id, d.id, d.webhook_id, d.next_attempt_at, w.failing_since is not null as is_failing,
          row_number() over (partition by d.organization_id, d.webhook_id order by d.next_attempt_at, d.id) as nth
        from webhook_deliveries d
        join outgoing_webhooks w on w.organization_id = d.organization_id and w.id = d.webhook_id
        where d.status = 'pending' and d.next_attempt_at <= ${now} and ${isLeaseFree('d.lease_expires_at')}
          and not d.organization_id = any(${taken.organizationIds}::uuid[])
          and not d.webhook_id = any(${taken.webhookIds}::uuid[])
          and not d.id = any(${taken.deliveryIds}::uuid[])
      ) q where nth <= ${FOUND_OF_WEBHOOK}
    ) p where place <= ${FOUND_OF_WORKSPACE}
    order by is_failing, place, next_attempt_at, id limit ${FOUND_AT_ONE_LOOK}`.execute(db)
  return rows
}
