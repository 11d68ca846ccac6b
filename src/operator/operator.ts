import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import {
  createSubscriptions,
  SUBSCRIPTION_COLUMNS,
  toSubscriptionView,
  type NewSubscription,
  type SubscriptionRow,
  type SubscriptionView,
} from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/providers.ts'

/** Where the operator's acts are written down: the audit trail has no actor for them. */
export interface OperatorLog {
  info(fields: Record<string, unknown>, message: string): void
}

export interface OrganizationView {
  id: string
  name: string
  createdAt: string
  subscription: SubscriptionView | null
}

export interface ConnectorAccessView {
  id: string
  organizationId: string
  provider: ProviderId
  status: 'pending' | 'granted' | 'denied'
  createdAt: string
  updatedAt: string
}

export type WaitingRequest = ConnectorAccessView & {
  organizationName: string
  requestedByUserId: string | null
  requestedByEmail: string | null
}

export interface Operator {
  /** A page of all organizations, newest first. `cursor` is the id of the last one already seen. */
  listOrganizations(page: {
    limit: number
    cursor: string | undefined
  }): Promise<{ organizations: OrganizationView[]; nextCursor: string | null }>
  /** @throws AppError `not_found` */
  putSubscription(
    requestId: string,
    organizationId: string,
    subscription: NewSubscription,
  ): Promise<SubscriptionView>
  /** Grants or denies a provider, asked for or not. @throws AppError `not_found` */
  putConnectorAccess(
    requestId: string,
    organizationId: string,
    provider: ProviderId,
    enabled: boolean,
  ): Promise<ConnectorAccessView>
  /** At most `limit` requests that nobody has answered yet, the oldest first. */
  listWaiting(limit: number): Promise<WaitingRequest[]>
}

/** What the operator of a deployment does to any organization. Each act is logged once it is done. */
export function createOperator(deps: { db: Db; clock: Clock; logger: OperatorLog }): Operator {
  const { db, clock, logger } = deps
  const subscriptions = createSubscriptions({ db, clock })
  return {
    listOrganizations: ({ limit, cursor }) => listOrganizations(db, clock.now(), limit, cursor),
    async putSubscription(requestId, organizationId, subscription) {
      const view = await subscriptions.put(organizationId, subscription)
      logger.info({ requestId, organizationId, ...subscription }, 'the operator set a subscription')
      return view
    },
    async putConnectorAccess(requestId, organizationId, provider, enabled) {
      const status = enabled ? 'granted' : 'denied'
      const row = await setConnectorAccess(db, clock.now(), organizationId, provider, status)
      logger.info(
        { requestId, organizationId, provider, status },
        'the operator set the access to a connector',
      )
      return toAccessView(row)
    },
    listWaiting: (limit) => listWaiting(db, limit),
  }
}

const ORGANIZATIONS = `
  select id, name, created_at, ${SUBSCRIPTION_COLUMNS}
  from organizations left join subscriptions on organization_id = id
  where $2::uuid is null or (created_at, id) < (select created_at, id from organizations where id = $2)
  order by created_at desc, id desc
  limit $1`

type OrganizationRow = { id: string; name: string; created_at: Date } & (SubscriptionRow | { status: null })

async function listOrganizations(
  db: Db,
  now: Date,
  limit: number,
  cursor: string | undefined,
): Promise<{ organizations: OrganizationView[]; nextCursor: string | null }> {
  // One more than asked tells whether there is a next page.
  const query = CompiledQuery.raw(ORGANIZATIONS, [limit + 1, cursor ?? null])
  const { rows } = await db.executeQuery<OrganizationRow>(query)
  const page = rows.slice(0, limit)
  return {
    organizations: page.map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: row.created_at.toISOString(),
      subscription: row.status === null ? null : toSubscriptionView(row, now),
    })),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  }
}

async function setConnectorAccess(
  db: Db,
  at: Date,
  organizationId: string,
  provider: ProviderId,
  status: 'granted' | 'denied',
): Promise<Row<'connector_access'>> {
  return await db.transaction().execute(async (tx) => {
    const organization = await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .executeTakeFirst()
    if (!organization) throw new AppError('not_found', 'There is no such organization')
    return await tx
      .insertInto('connector_access')
      .values({
        organization_id: organizationId,
        provider,
        id: randomUUID(),
        status,
        requested_by_user_id: null,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'provider']).doUpdateSet({ status, updated_at: at }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

async function listWaiting(db: Db, limit: number): Promise<WaitingRequest[]> {
  const rows = await db
    .selectFrom('connector_access as a')
    .innerJoin('organizations as o', 'o.id', 'a.organization_id')
    .leftJoin('users as u', 'u.id', 'a.requested_by_user_id')
    .selectAll('a')
    .select(['o.name as organization_name', 'u.email as requested_by_email'])
    .where('a.status', '=', 'pending')
    .orderBy('a.created_at')
    .orderBy('a.id')
    .limit(limit)
    .execute()
  return rows.map((row) =>
    Object.assign(toAccessView(row), {
      organizationName: row.organization_name,
      requestedByUserId: row.requested_by_user_id,
      requestedByEmail: row.requested_by_email,
    }),
  )
}

function toAccessView(row: Row<'connector_access'>): ConnectorAccessView {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
