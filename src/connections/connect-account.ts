import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { validationError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { type OAuthAdapter, type ProviderAdapters, usesOAuth } from '../providers/index.ts'
import type { WaitingCode } from './confirmation.ts'
import type { OAuthStates } from './oauth-states.ts'
import type { GrantToRevoke } from './revocations.ts'
import {
  type AccountStoreDependencies,
  askForAccount,
  requireAdmin,
  storeAccount,
  type StoredAccount,
} from './store-account.ts'

export interface AccountConnectorDependencies extends AccountStoreDependencies {
  db: Db
  adapters: ProviderAdapters
  states: OAuthStates
  /** Called when a run is ready to be taken. */
  onQueued: () => void
  /** Receives errors outside the request, which are retried. */
  onError: (error: unknown) => void
}

/** Ends a flow by redeeming its state and code. */
export type ConnectAccount = (
  provider: ProviderId,
  waiting: WaitingCode,
  signal: AbortSignal,
) => Promise<StoredAccount>

/** Connects accounts after the user's consent at the provider. @throws AppError */
export function createAccountConnector(
  deps: AccountConnectorDependencies & { redirectUri: (provider: ProviderId) => string },
): ConnectAccount {
  const { db, adapters, states, access, revocations, redirectUri } = deps

  /** Does not throw: the user must see the refusal, whatever happens to the grant. */
  async function endGrant(grant: GrantToRevoke): Promise<void> {
    try {
      await transact(db, (tx) => revocations.add(tx, grant))
      await revocations.run()
    } catch (error) {
      deps.onError(error)
    }
  }

  return async (provider, { state, code }, signal) => {
    const flow = await states.redeem(provider, state)
    const adapter = oauthAdapter(adapters, provider)
    await requireAdmin(db, flow)
    await access.require(db, flow.organizationId, provider)
    signal.throwIfAborted()
    const { codeVerifier } = flow
    // Independent of the browser: the provider's answer is the only way to use or revoke the new grant.
    const account = await askForAccount(provider, [code, codeVerifier], (timeout) =>
      adapter.exchangeCode({ code, redirectUri: redirectUri(provider), codeVerifier, signal: timeout }),
    )
    const stored = await transact(db, (tx) => storeAccount(tx, deps, flow, account)).catch(
      async (error: unknown) => {
        await endGrant({ ...flow, ...account })
        throw error
      },
    )
    deps.onQueued()
    return stored
  }
}

/** @throws AppError `not_configured`; `validation_failed` for a provider that is connected by a form */
export function oauthAdapter(adapters: ProviderAdapters, provider: ProviderId): OAuthAdapter {
  const adapter = adapters.get(provider)
  if (usesOAuth(adapter)) return adapter
  throw validationError([
    {
      path: 'provider',
      message: `provider ${provider} is connected with a form; send its fields to POST /v1/console/connectors/${provider}/connect`,
    },
  ])
}
