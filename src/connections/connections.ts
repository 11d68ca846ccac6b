import { recordEvent } from '../audit/index.ts'
import { checkConnectorLimit } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { openCode, sealCode, type WaitingCode } from './confirmation.ts'
import { type AccountConnectorDependencies, createAccountConnector, oauthAdapter } from './connect-account.ts'
import { createFormConnector, type SubmitForm } from './connect-form.ts'
import { requireAdmin } from './store-account.ts'
import { hasAccount } from '../sources/index.ts'
import { flowCookie, readFlowCookie } from './flow-cookie.ts'
import type { ConnectQuestion } from './oauth-pages.ts'
import type { OAuthFlow } from './oauth-states.ts'

/** The parameters of the provider's redirect. */
export interface CallbackQuery {
  state?: string | undefined
  code?: string | undefined
  error?: string | undefined
}

export interface Connections {
  /** Starts connecting an account. Returns the provider's page, and this browser's cookie. @throws AppError */
  authorize(
    caller: ConsoleCaller,
    provider: ProviderId,
    options?: { awaitsChoice: boolean },
  ): Promise<{ url: string; cookie: string }>
  /**
   * Finishes the flow in the browser that began it: the source exists, and its first run is queued or scheduled.
   * Returns the console page to redirect to, with the provider's error after a refusal or cancellation. In any other
   * browser it only asks for confirmation and leaves the flow unchanged.
   * @throws AppError `malformed_state`, `upstream_error`, `connector_access_required`, `plan_limit_reached`,
   * `role_required`
   */
  complete(
    provider: ProviderId,
    query: CallbackQuery,
    request: { cookie: string | undefined; signal: AbortSignal },
  ): Promise<{ redirect: string } | { question: ConnectQuestion }>
  /** Finishes the flow after the user confirmed. Returns and throws as `complete` does. */
  confirm(provider: ProviderId, confirmation: string, signal: AbortSignal): Promise<string>
  submit: SubmitForm
}

/** Connects provider accounts, by OAuth (RFC 6749, 4.1) or by a form. */
export function createConnections(
  deps: AccountConnectorDependencies & { publicUrl: () => string },
): Connections {
  const { db, adapters, states, access, publicUrl } = deps
  const redirectUri = (provider: ProviderId): string => `${publicUrl()}/v1/oauth/${provider}/callback`
  const connectAccount = createAccountConnector({ ...deps, redirectUri })
  const consolePage = (query: Record<string, string>, path = ''): string =>
    `${publicUrl()}/console/sources${path}?${new URLSearchParams(query).toString()}`

  const finish = async (provider: ProviderId, waiting: WaitingCode, signal: AbortSignal): Promise<string> => {
    const { sourceId, isReconnected } = await connectAccount(provider, waiting, signal)
    const query = { provider, connected: sourceId }
    return isReconnected ? consolePage({ ...query, reconnected: 'true' }, `/${sourceId}`) : consolePage(query)
  }

  return {
    async authorize(caller, provider, { awaitsChoice } = { awaitsChoice: false }) {
      const { organizationId, userId } = caller
      await access.require(db, organizationId, provider)
      const adapter = oauthAdapter(adapters, provider)
      const { state, codeChallenge, browserSecret } = await transact(db, async (tx) => {
        await requireRoom(tx, organizationId, provider)
        await recordBegin(tx, caller, provider, deps.clock.now())
        return await states.begin(tx, { organizationId, userId, provider, awaitsChoice })
      })
      return {
        url: adapter.authorizeUrl({ state, redirectUri: redirectUri(provider), codeChallenge }),
        cookie: flowCookie(publicUrl(), provider, browserSecret),
      }
    },
    async complete(provider, { state = '', code, error }, { cookie, signal }) {
      const flow = await states.find(provider, state)
      adapters.get(provider)
      if (error !== undefined || code === undefined) {
        await states.redeem(provider, state)
        return { redirect: consolePage({ provider, error: error ?? 'the provider sent no code' }) }
      }
      if (flow.isBrowser(readFlowCookie(cookie)))
        return { redirect: await finish(provider, { state, code }, signal) }
      await requireAdmin(db, flow)
      await access.require(db, flow.organizationId, provider)
      const confirmation = sealCode(deps.cipher, provider, { state, code })
      const action = new URL(redirectUri(provider)).pathname
      return { question: { provider, ...(await describeAsker(db, flow)), action, confirmation } }
    },
    confirm: async (provider, confirmation, signal) =>
      await finish(provider, openCode(deps.cipher, provider, confirmation), signal),
    submit: createFormConnector(deps),
  }
}

async function recordBegin(tx: Tx, caller: ConsoleCaller, provider: ProviderId, at: Date): Promise<void> {
  await recordEvent(tx, caller, {
    action: 'connector.authorize',
    target: ['connector', provider],
    metadata: { provider },
    providers: [provider],
    at,
  })
}

/** Who started the flow and for which workspace, for display. */
async function describeAsker(
  db: Db,
  { organizationId, userId }: Pick<OAuthFlow, 'organizationId' | 'userId'>,
): Promise<Pick<ConnectQuestion, 'workspace' | 'person'>> {
  const { workspace, name, email } = await db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['organizations.name as workspace', 'users.name', 'users.email'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { workspace, person: { name, email } }
}

/** A workspace that already has an account of the provider may be reconnecting it; the callback checks the limit. */
async function requireRoom(tx: Tx, organizationId: string, provider: ProviderId): Promise<void> {
  const connected = await tx
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('provider', '=', provider)
    .where(hasAccount())
    .executeTakeFirst()
  if (!connected) await checkConnectorLimit(tx, organizationId)
}
