import { randomUUID } from 'node:crypto'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError, validationError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { fieldsOf, findProvider, PROVIDERS } from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { AccessRequest, ConnectorView } from './schemas.ts'

export interface ConnectorAccess {
  /** @throws AppError `connector_access_required` for a gated provider that the operator has not enabled */
  require(db: Db, organizationId: string, provider: ProviderId): Promise<void>
  /** Requests a gated provider; idempotent. @throws AppError `validation_failed` for one that is not gated */
  request(caller: ConsoleCaller, provider: ProviderId): Promise<AccessRequest>
  /** Grants the local workspace's owner a gated provider. @throws AppError `connector_access_required` elsewhere */
  grant(caller: ConsoleCaller, provider: ProviderId): Promise<AccessRequest>
  /** The workspace's requests, newest first. */
  requests(caller: ConsoleCaller): Promise<AccessRequest[]>
  /** Every provider, in the order of the API document. */
  list(caller: ConsoleCaller): Promise<ConnectorView[]>
}

/** Decides which workspaces may connect gated providers. */
export function createConnectorAccess(deps: {
  db: Db
  clock: Clock
  gated: readonly ProviderId[]
  offered: readonly ProviderId[]
  /** Whether nobody else operates this deployment: it runs on the developer's machine. */
  isLocal: boolean
}): ConnectorAccess {
  const { db, clock, gated, offered } = deps
  const mayGrant = async ({ organizationId, role }: ConsoleCaller): Promise<boolean> =>
    deps.isLocal && role === 'owner' && (await isLocalWorkspace(db, organizationId))
  return {
    async require(on, organizationId, provider) {
      if (!gated.includes(provider)) return
      const access = await find(on, organizationId, provider)
      if (access?.status === 'granted') return
      throw new AppError(
        'connector_access_required',
        access?.status === 'pending'
          ? `Access to ${provider} was requested and awaits approval by the operator of this deployment`
          : `${provider} requires the approval of this deployment's operator; request it with POST /v1/console/connector-access`,
      )
    },
    request(caller, provider) {
      requireGated(gated, provider)
      return transact(db, (tx) => request(tx, caller, provider, clock.now()))
    },
    async grant(caller, provider) {
      requireGated(gated, provider)
      if (!(await mayGrant(caller)))
        throw new AppError(
          'connector_access_required',
          "Only this deployment's operator can grant access; request it with POST /v1/console/connector-access",
        )
      return transact(db, (tx) => grant(tx, caller, provider, clock.now()))
    },
    async requests({ organizationId }) {
      const rows = await db
        .selectFrom('connector_access')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('provider', 'in', PROVIDERS)
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
      const isGranter = await mayGrant(caller)
      return PROVIDERS.map((provider) => {
        const status = known.find((access) => access.provider === provider)?.status ?? 'required'
        const access = gated.includes(provider) ? status : 'open'
        const grantable = isGranter && access !== 'open' && access !== 'granted'
        const { form } = findProvider(provider)
        return {
          provider,
          offered: offered.includes(provider),
          access,
          grantable,
          form: form === undefined ? null : fieldsOf(form),
        }
      })
    },
  }
}

async function request(
  tx: Tx,
  caller: ConsoleCaller,
  provider: ProviderId,
  at: Date,
): Promise<AccessRequest> {
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
  await recordEvent(tx, caller, {
    action: 'connector_access.request',
    target: ['connector_access', row.id],
    metadata: { provider },
    providers: [provider],
    at,
  })
  return toView(row)
}

async function grant(tx: Tx, caller: ConsoleCaller, provider: ProviderId, at: Date): Promise<AccessRequest> {
  const { organizationId } = caller
  const row = await putAccess(tx, { organizationId, provider, status: 'granted', at })
  await recordEvent(tx, caller, {
    action: 'connector_access.grant',
    target: ['connector_access', row.id],
    metadata: { provider },
    providers: [provider],
    at,
  })
  return toView(row)
}

/** Stores a decision about a provider, requested or not. */
export async function putAccess(
  tx: Tx,
  decision: { organizationId: string; provider: ProviderId; status: 'granted' | 'denied'; at: Date },
): Promise<Row<'connector_access'>> {
  const { organizationId, provider, status, at } = decision
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
}

/** @throws AppError `validation_failed` */
function requireGated(gated: readonly ProviderId[], provider: ProviderId): void {
  if (gated.includes(provider)) return
  throw validationError([
    { path: 'provider', message: `provider ${provider} can be connected without a request` },
  ])
}

async function isLocalWorkspace(db: Db, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('organizations')
    .select('is_local')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  return row?.is_local === true
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

function toView(row: Row<'connector_access'>): AccessRequest {
  return { id: row.id, provider: row.provider, status: row.status, createdAt: row.created_at.toISOString() }
}
