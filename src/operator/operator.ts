import type {
  Billing,
  ComparisonStatus,
  NewSubscription,
  OverageStatus,
  RemarkedOrganization,
  Subscription,
  WaitingReport,
} from '../billing/index.ts'
import { putAccess } from '../connections/index.ts'
import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Organization, ConnectorAccess, WaitingRequest } from './schemas.ts'

export interface Operator {
  /** A page of all organizations, newest first. @throws AppError `validation_failed` for another list's cursor */
  listOrganizations(page: PageQuery): Promise<{ organizations: Organization[]; nextCursor: string | null }>
  /** @throws AppError `not_found` */
  putSubscription(
    requestId: string,
    organizationId: string,
    subscription: NewSubscription,
  ): Promise<Subscription>
  /** Grants or denies a provider, requested or not. @throws AppError `not_found` */
  putConnectorAccess(
    requestId: string,
    organizationId: string,
    provider: ProviderId,
    enabled: boolean,
  ): Promise<ConnectorAccess>
  /** At most `limit` open requests, oldest first. */
  listWaiting(limit: number): Promise<WaitingRequest[]>
  /** How far the payment processor's meter is behind, with at most `limit` waiting reports, oldest first. */
  readOverage(limit: number): Promise<OverageStatus & { reports: WaitingReport[] }>
  /** Whether the stored subscriptions match the payment processor's, with at most `limit` organizations to look at. */
  readPayments(limit: number): Promise<ComparisonStatus & { organizations: RemarkedOrganization[] }>
  /** Records whether a report has arrived; if not, it is sent again. @throws AppError `not_found` */
  resolveReport(
    requestId: string,
    report: { organizationId: string; id: string; arrived: boolean },
  ): Promise<void>
}

/** What the operator can do to any organization. Each act is logged after it succeeds. */
export function createOperator(deps: {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'info'>
  billing: Pick<Billing, 'subscriptions' | 'overage' | 'comparison'>
}): Operator {
  const { db, clock, logger } = deps
  const { subscriptions, overage, comparison } = deps.billing
  return {
    async listOrganizations(asked) {
      const all = db.selectFrom('organizations').select(['id', 'name', 'created_at', 'removed_at'])
      const { page, nextCursor } = await readPage(all, LIST, NEWEST, asked)
      const plans = await subscriptions.readMany(page.map(({ id }) => id))
      const organizations = page.map(({ id, name, created_at: createdAt, removed_at: removedAt }) => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        removedAt: removedAt?.toISOString() ?? null,
        subscription: plans.get(id) ?? null,
      }))
      return { organizations, nextCursor }
    },
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
    readOverage: async (limit) => ({
      ...(await overage.status()),
      reports: await overage.listWaiting(limit),
    }),
    readPayments: async (limit) => ({
      ...(await comparison.status()),
      organizations: await comparison.listRemarked(limit),
    }),
    async resolveReport(requestId, report) {
      if (!(await overage.resolve(report))) throw new AppError('not_found', 'There is no such waiting report')
      logger.info({ requestId, ...report }, 'the operator resolved a report of answers over the cap')
    },
  }
}

const LIST = ['organizations']
const NEWEST = { at: 'created_at', id: 'id' }

async function setConnectorAccess(
  db: Db,
  at: Date,
  organizationId: string,
  provider: ProviderId,
  status: 'granted' | 'denied',
): Promise<Row<'connector_access'>> {
  return await transact(db, async (tx) => {
    const organization = await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .where('removed_at', 'is', null)
      .executeTakeFirst()
    if (!organization) throw new AppError('not_found', 'There is no such organization')
    return await putAccess(tx, { organizationId, provider, status, at })
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
    .where('a.provider', 'in', PROVIDERS)
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

function toAccessView(row: Row<'connector_access'>): ConnectorAccess {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
