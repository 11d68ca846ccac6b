import { randomUUID } from 'node:crypto'
import { recordEvent } from '../audit/index.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { actorOf, type ConsolePrincipal } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableText } from '../kernel/text.ts'
import { type ConnectedAccount, type ProviderAdapters, ProviderError } from '../sources/index.ts'
import { queueRun } from '../sync/index.ts'
import type { ConnectorAccess } from './connector-access.ts'
import { saveCredentials } from './credentials.ts'
import type { OAuthFlow, OAuthStates } from './oauth-states.ts'
import type { TokenCipher } from './token-cipher.ts'

/** What a provider sends the browser back with. */
export interface CallbackQuery {
  state?: string | undefined
  code?: string | undefined
  error?: string | undefined
}

export interface Connections {
  /**
   * Begins to connect an account; answers the provider's page to send the browser to.
   * @throws AppError `connector_access_required`, `not_configured`, `plan_limit_reached`
   */
  authorize(caller: ConsolePrincipal, provider: ProviderId): Promise<string>
  /**
   * Ends it: the source is there and its first run queued. Answers the console's page to send the browser to, with the
   * provider's error where the person was refused or changed their mind.
   * @throws AppError `malformed_state`, `upstream_error`, `connector_access_required`, `plan_limit_reached`, `role_required`
   */
  complete(provider: ProviderId, query: CallbackQuery, signal: AbortSignal): Promise<string>
}

/** Connecting provider accounts by OAuth (RFC 6749, 4.1). */
export function createConnections(deps: {
  db: Db
  clock: Clock
  cipher: TokenCipher
  adapters: ProviderAdapters
  states: OAuthStates
  access: ConnectorAccess
  checkConnectorLimit: (tx: Tx, organizationId: string) => Promise<void>
  publicUrl: () => string
  onQueued: () => void
}): Connections {
  const { db, adapters, states, access, publicUrl } = deps
  const redirectUri = (provider: ProviderId): string => `${publicUrl()}/v1/oauth/${provider}/callback`
  const consolePage = (query: Record<string, string>): string =>
    `${publicUrl()}/console/sources?${new URLSearchParams(query).toString()}`

  return {
    async authorize(caller, provider) {
      const { organizationId, userId } = caller
      await access.require(db, organizationId, provider)
      const adapter = adapters.get(provider)
      const { state, codeChallenge } = await db.transaction().execute(async (tx) => {
        await requireRoom(tx, deps, organizationId, provider)
        await recordEvent(tx, {
          organizationId,
          actor: actorOf(caller),
          action: 'connector.authorize',
          targetType: 'connector',
          targetId: provider,
          metadata: { provider },
          at: deps.clock.now(),
        })
        return await states.begin(tx, { organizationId, userId, provider })
      })
      return adapter.authorizeUrl({ state, redirectUri: redirectUri(provider), codeChallenge })
    },
    async complete(provider, query, signal) {
      const flow = await states.redeem(provider, query.state)
      const adapter = adapters.get(provider)
      if (query.error !== undefined || query.code === undefined)
        return consolePage({ provider, error: query.error ?? 'the provider sent no code' })
      await requireStanding(db, flow)
      await access.require(db, flow.organizationId, provider)
      let account: ConnectedAccount
      try {
        const { codeVerifier } = flow
        account = await adapter.exchangeCode({
          code: query.code,
          redirectUri: redirectUri(provider),
          codeVerifier,
          signal,
        })
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        throw new AppError('upstream_error', `${provider} did not connect: ${error.message}`, {
          cause: error,
        })
      }
      const sourceId = await retryConflicts(() =>
        db.transaction().execute((tx) => connect(tx, deps, flow, account)),
      )
      deps.onQueued()
      return consolePage({ provider, connected: sourceId })
    },
  }
}

interface ConnectDependencies {
  clock: Clock
  cipher: TokenCipher
  checkConnectorLimit: (tx: Tx, organizationId: string) => Promise<void>
}

/** Whoever already has an account of the provider connected may be about to connect it again: the callback knows. */
async function requireRoom(
  tx: Tx,
  { checkConnectorLimit }: ConnectDependencies,
  organizationId: string,
  provider: ProviderId,
): Promise<void> {
  const connected = await tx
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('provider', '=', provider)
    .where('push_only', '=', false)
    .executeTakeFirst()
  if (!connected) await checkConnectorLimit(tx, organizationId)
}

/** Minutes have passed since the flow began: the person may have lost the role by now. */
async function requireStanding(db: Db, { organizationId, userId }: OAuthFlow): Promise<void> {
  const membership = await db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (membership === undefined || membership.role === 'member')
    throw new AppError('role_required', 'Connecting an account needs the role admin in the workspace')
}

/** Stores the account as a source, or in the one it has; queues the first run; answers the source's id. */
async function connect(
  tx: Tx,
  { clock, cipher, checkConnectorLimit }: ConnectDependencies,
  flow: OAuthFlow,
  account: ConnectedAccount,
): Promise<string> {
  const { organizationId, provider, userId } = flow
  const at = clock.now()
  const before = await reconnect(tx, flow, account, at)
  const sourceId = before ?? randomUUID()
  if (before === undefined) {
    await checkConnectorLimit(tx, organizationId)
    await tx
      .insertInto('sources')
      .values({
        organization_id: organizationId,
        id: sourceId,
        provider,
        push_only: false,
        status: 'pending',
        display_name: storableText(account.displayName),
        external_account_id: account.externalAccountId,
        created_at: at,
        updated_at: at,
      })
      .execute()
  }
  await saveCredentials(tx, cipher, { organizationId, sourceId }, account.credentials, at)
  await queueRun(tx, { organizationId, sourceId, fullResync: false, at })
  await recordEvent(tx, {
    organizationId,
    actor: { userId, apiKeyId: null },
    action: 'connector.connect',
    targetType: 'source',
    targetId: sourceId,
    metadata: { provider, externalAccountId: account.externalAccountId, reconnected: before !== undefined },
    at,
  })
  return sourceId
}

/** The source that the account has already, healthy again as far as anybody knows; its name stays as people gave it. */
async function reconnect(
  tx: Tx,
  { organizationId, provider }: OAuthFlow,
  { externalAccountId }: ConnectedAccount,
  at: Date,
): Promise<string | undefined> {
  const source = await tx
    .updateTable('sources')
    .set((set) => ({
      status: set
        .case()
        .when('last_synced_at', 'is', null)
        .then('pending' as const)
        .else('active' as const)
        .end(),
      error_message: null,
      next_poll_at: null,
      push_since: null,
      updated_at: at,
    }))
    .where('organization_id', '=', organizationId)
    .where('provider', '=', provider)
    .where('external_account_id', '=', externalAccountId)
    .where('push_only', '=', false)
    .returning('id')
    .executeTakeFirst()
  return source?.id
}
