import { randomUUID } from 'node:crypto'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import { actorOf, type ConsolePrincipal } from '../kernel/principal.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { ProviderId } from '../kernel/providers.ts'

export interface AccessRequestView {
  id: string
  provider: ProviderId
  status: 'pending' | 'granted' | 'denied'
  createdAt: string
}

/** A provider's availability to a workspace. `access` is `open` when no approval is needed. */
export interface ConnectorView {
  provider: ProviderId
  offered: boolean
  access: 'open' | 'required' | 'pending' | 'granted' | 'denied'
}

export interface ConnectorAccess {
  /** @throws AppError `connector_access_required` for a gated provider that the operator has not enabled */
  require(db: Db, organizationId: string, provider: ProviderId): Promise<void>
  /** Requests a gated provider; idempotent. @throws AppError `validation_failed` for one that is not gated */
  request(caller: ConsolePrincipal, provider: ProviderId): Promise<AccessRequestView>
  /** The workspace's requests, newest first. */
  requests(caller: ConsolePrincipal): Promise<AccessRequestView[]>
  /** Every provider, in the order of the API document. */
  list(caller: ConsolePrincipal): Promise<ConnectorView[]>
}

/** Decides which workspaces may connect gated providers. */
export function createConnectorAccess(deps: {
  db: Db
  clock: Clock
  gated: readonly ProviderId[]
  offered: readonly ProviderId[]
}): ConnectorAccess {
  const { db, clock, gated, offered } = deps
  return {
    async require(on, organizationId, provider) {
      if (!gated.includes(provider)) return
      const access = await find(on, organizationId, provider)
      if (access?.status === 'granted') return
      throw new AppError(
        'connector_access_required',
        access?.status === 'pending'
          ? `Access to ${provider} was requested and waits for the operator of this deployment`
          : `${provider} needs the permission of this deployment's operator; request it with POST /v1/console/connector-access`,
      )
    },
    request(caller, provider) {
      if (!gated.includes(provider))
        throw validationError([
          { path: 'provider', message: `provider ${provider} can be connected without a request` },
        ])
      return db.transaction().execute((tx) => request(tx, caller, provider, clock.now()))
    },
    async requests({ organizationId }) {
      const rows = await db
        .selectFrom('connector_access')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('requested_by_user_id', 'is not', null)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(toView)
    },
    async list(caller) {
      const known = await db
        .selectFrom('connector_access')
        .select(['provider', 'status'])
        .where('organization_id', '=', caller.organizationId)
        .execute()
      return PROVIDERS.map((provider) => {
        const status = known.find((access) => access.provider === provider)?.status ?? 'required'
        const access = gated.includes(provider) ? status : 'open'
        return { provider, offered: offered.includes(provider), access }
      })
    },
  }
}

async function request(
  tx: Tx,
  caller: ConsolePrincipal,
  provider: ProviderId,
  at: Date,
): Promise<AccessRequestView> {
  const { organizationId } = caller
  const row = await tx
    .insertInto('connector_access')
    .values({
      organization_id: organizationId,
      provider,
      id: randomUUID(),
      status: 'pending',
      requested_by_user_id: caller.userId,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'provider'])
        .doUpdateSet({ status: 'pending', requested_by_user_id: caller.userId, updated_at: at })
        .where('connector_access.status', '=', 'denied'),
    )
    .returningAll()
    .executeTakeFirst()
  // Already pending or granted.
  if (!row) {
    const access = await find(tx, organizationId, provider)
    if (!access) throw new Error('the request for access no longer exists')
    return toView(access)
  }
  await recordEvent(tx, {
    organizationId,
    actor: actorOf(caller),
    action: 'connector_access.request',
    targetType: 'connector_access',
    targetId: row.id,
    metadata: { provider },
    providers: [provider],
    at,
  })
  return toView(row)
}

async function find(
  db: Db,
  organizationId: string,
  provider: ProviderId,
): Promise<Row<'connector_access'> | undefined> {
  return await db
    .selectFrom('connector_access')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('provider', '=', provider)
    .executeTakeFirst()
}

function toView(row: Row<'connector_access'>): AccessRequestView {
  return { id: row.id, provider: row.provider, status: row.status, createdAt: row.created_at.toISOString() }
}
