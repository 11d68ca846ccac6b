import { recordEvent } from '../audit/index.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableText } from '../kernel/text.ts'
import { lockOrganization } from '../organizations/index.ts'
import { schedulePermissionPoll } from '../permission-polls/index.ts'
import {
  type ConnectedAccount,
  type ProviderAdapter,
  type ProviderAdapters,
  ProviderError,
} from '../providers/index.ts'
import { insertConnectedSource, reconnectSource } from '../sources/index.ts'
import { queueRun } from '../sync/index.ts'
import type { ConnectorAccess } from './connector-access.ts'
import type { WaitingCode } from './confirmation.ts'
import { findCredentials, saveCredentials } from './credentials.ts'
import type { OAuthFlow, OAuthStates } from './oauth-states.ts'
import type { LooseGrant, Revocations } from './revocations.ts'
import type { TokenCipher } from './token-cipher.ts'
import { withoutSecrets } from './without-secrets.ts'

const EXCHANGE_TIMEOUT_MS = 30_000

export interface AccountConnectorDependencies {
  clock: Clock
  cipher: TokenCipher
  access: ConnectorAccess
  revocations: Revocations
  checkConnectorLimit: (tx: Tx, organizationId: string) => Promise<void>
  db: Db
  adapters: ProviderAdapters
  states: OAuthStates
  /** Called when a run is ready to be taken. */
  onQueued: () => void
  /** Receives errors outside the request, which are retried. */
  onError: (error: unknown) => void
}

/** Ends a flow by redeeming its state and code. Returns the id of the account's source. */
export type ConnectAccount = (
  provider: ProviderId,
  waiting: WaitingCode,
  signal: AbortSignal,
) => Promise<string>

/**
 * Connects accounts after the user's consent at the provider. The function throws AppError `malformed_state`,
 * `upstream_error`, `connector_access_required`, `plan_limit_reached`, `role_required`.
 */
export function createAccountConnector(
  deps: AccountConnectorDependencies & { redirectUri: (provider: ProviderId) => string },
): ConnectAccount {
  const { db, adapters, states, access, revocations, redirectUri } = deps

  /** Does not throw: the user must see the refusal, whatever happens to the grant. */
  async function endGrant(grant: LooseGrant): Promise<void> {
    try {
      await db.transaction().execute((tx) => revocations.add(tx, grant))
      await revocations.run()
    } catch (error) {
      deps.onError(error)
    }
  }

  return async (provider, { state, code }, signal) => {
    const flow = await states.redeem(provider, state)
    const adapter = adapters.get(provider)
    await requireStanding(db, flow)
    await access.require(db, flow.organizationId, provider)
    signal.throwIfAborted()
    const account = await exchangeCode(adapter, flow, { code, redirectUri: redirectUri(provider) })
    const sourceId = await retryConflicts(() =>
      db.transaction().execute((tx) => connect(tx, deps, flow, account)),
    ).catch(async (error: unknown) => {
      await endGrant({ ...flow, ...account })
      throw error
    })
    deps.onQueued()
    return sourceId
  }
}

/**
 * Exchanges the code for the account's grant, with a timeout independent of the browser: the provider's answer is the
 * only way to use or revoke the new grant.
 * @throws AppError `upstream_error` with the provider's message
 */
async function exchangeCode(
  adapter: ProviderAdapter,
  { provider, codeVerifier }: OAuthFlow,
  { code, redirectUri }: { code: string; redirectUri: string },
): Promise<ConnectedAccount> {
  const signal = AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)
  try {
    const account = await adapter.exchangeCode({ code, redirectUri, codeVerifier, signal })
    return {
      ...account,
      displayName: storableText(account.displayName),
      externalAccountId: storableText(account.externalAccountId),
    }
  } catch (error) {
    const cause = withoutSecrets(error, [code, codeVerifier])
    if (!(cause instanceof ProviderError) && !signal.aborted) throw cause
    const reason = cause instanceof ProviderError ? cause.message : 'it did not answer in time'
    throw new AppError('upstream_error', `${provider} did not connect: ${reason}`, { cause })
  }
}

/** Flows take minutes, so the user may have lost the role by now. */
export async function requireStanding(
  db: Db,
  { organizationId, userId }: Pick<OAuthFlow, 'organizationId' | 'userId'>,
): Promise<void> {
  const membership = await db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (membership === undefined || membership.role === 'member')
    throw new AppError('role_required', 'Connecting an account requires the role admin in the workspace')
}

/** Stores the account in a new or its existing source, queues the first run, and returns the source's id. */
async function connect(
  tx: Tx,
  deps: AccountConnectorDependencies,
  flow: OAuthFlow,
  account: ConnectedAccount,
): Promise<string> {
  const { clock, cipher, checkConnectorLimit } = deps
  const { organizationId, provider, userId } = flow
  const at = clock.now()
  // When two users connect the same account at once, the second finds the first one's source.
  await lockOrganization(tx, organizationId)
  await requireStanding(tx, flow)
  await deps.access.require(tx, organizationId, provider)
  const connectedBy = await findAddress(tx, userId)
  const before = await reconnect(tx, deps, flow, { ...account, connectedBy })
  if (before === undefined) await checkConnectorLimit(tx, organizationId)
  const { externalAccountId, displayName } = account
  const sourceId =
    before ??
    (await insertConnectedSource(tx, {
      organizationId,
      provider,
      displayName,
      externalAccountId,
      connectedBy,
      at,
    }))
  await saveCredentials(tx, cipher, { organizationId, sourceId }, account.credentials, at)
  await queueRun(tx, { organizationId, sourceId, fullResync: false, at })
  await schedulePermissionPoll(tx, { organizationId, sourceId }, at)
  await recordEvent(tx, {
    organizationId,
    actor: { userId, apiKeyId: null },
    action: 'connector.connect',
    targetType: 'source',
    targetId: sourceId,
    metadata: { provider, externalAccountId: account.externalAccountId, reconnected: before !== undefined },
    providers: [provider],
    at,
  })
  return sourceId
}

/** A user's address, if their identity provider has verified it. */
async function findAddress(tx: Tx, userId: string): Promise<string | null> {
  const user = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('email_verified', '=', true)
    .executeTakeFirst()
  return user?.email ?? null
}

/**
 * Resets the account's existing source to healthy and keeps its name. Its former grant is revoked, unless that would
 * also end the new one.
 */
async function reconnect(
  tx: Tx,
  { clock, cipher, revocations }: AccountConnectorDependencies,
  { organizationId, provider }: OAuthFlow,
  { externalAccountId, connectedBy }: ConnectedAccount & { connectedBy: string | null },
): Promise<string | undefined> {
  const account = { organizationId, provider, externalAccountId }
  const sourceId = await reconnectSource(tx, { ...account, connectedBy }, clock.now())
  if (sourceId === undefined) return undefined
  const credentials = await findCredentials(tx, cipher, { organizationId, sourceId })
  if (credentials) await revocations.add(tx, { ...account, credentials })
  return sourceId
}
