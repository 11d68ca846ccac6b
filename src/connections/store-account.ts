import { recordEvent } from '../audit/index.ts'
import { checkConnectorLimit } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { hasRole } from '../kernel/roles.ts'
import { storableText } from '../kernel/text.ts'
import { findRole, findVerifiedAddress, isDeactivated, lockOrganization } from '../organizations/index.ts'
import { schedulePermissionPoll } from '../permission-polls/index.ts'
import { type ConnectedAccount, findProvider, ProviderError } from '../providers/index.ts'
import { insertConnectedSource, reconnectSource, schedulePoll } from '../sources/index.ts'
import { queueRun } from '../sync/index.ts'
import type { ConnectorAccess } from './connector-access.ts'
import { findCredentials, saveCredentials } from './credentials.ts'
import type { Revocations } from './revocations.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import { withoutSecrets } from './without-secrets.ts'

const ANSWER_TIMEOUT_MS = 30_000
/** Without a choice of channels, the first run starts after this time. */
const CHOICE_MS = 15 * MINUTE_MS

export interface AccountStoreDependencies {
  clock: Clock
  cipher: SecretCipher
  access: ConnectorAccess
  revocations: Revocations
}

/** Who connects an account, and where. */
export interface ConnectRequest {
  organizationId: string
  userId: string
  provider: ProviderId
  /** Whether the first run of a new source waits until its channels are chosen. */
  awaitsChoice?: boolean
}

/** Asks the provider for the account, with a timeout. Errors carry no secrets. @throws AppError `upstream_error` */
export async function askForAccount(
  provider: ProviderId,
  secrets: readonly string[],
  ask: (signal: AbortSignal) => Promise<ConnectedAccount>,
): Promise<ConnectedAccount> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  try {
    const account = await ask(signal)
    return {
      ...account,
      displayName: storableText(account.displayName),
      externalAccountId: storableText(account.externalAccountId),
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    const cause = withoutSecrets(error, secrets)
    if (!(cause instanceof ProviderError) && !signal.aborted) throw cause
    const reason = cause instanceof ProviderError ? cause.message : 'it did not answer in time'
    throw new AppError('upstream_error', `${provider} could not be connected: ${reason}`, { cause })
  }
}

/** Flows take minutes, so the user may have lost the role, or been deactivated, by now. */
export async function requireAdmin(
  db: Db,
  { organizationId, userId }: Pick<ConnectRequest, 'organizationId' | 'userId'>,
): Promise<void> {
  const role = await findRole(db, organizationId, userId)
  const mayConnect = role !== undefined && hasRole(role, 'admin')
  if (!mayConnect || (await isDeactivated(db, organizationId, userId)))
    throw new AppError('role_required', 'Connecting an account requires the role admin in the workspace')
}

/** The source of a connected account. */
export interface StoredAccount {
  sourceId: string
  /** Whether the source existed before. */
  isReconnected: boolean
}

/** Stores the account in a new or its existing source and queues or schedules its first run. @throws AppError */
export async function storeAccount(
  tx: Tx,
  deps: AccountStoreDependencies,
  flow: ConnectRequest,
  account: ConnectedAccount,
): Promise<StoredAccount> {
  const { clock, cipher } = deps
  const { organizationId, provider, userId } = flow
  const at = clock.now()
  // When two users connect the same account at once, the second finds the first one's source.
  await lockOrganization(tx, organizationId)
  await requireAdmin(tx, flow)
  await deps.access.require(tx, organizationId, provider)
  const connectedBy = await findVerifiedAddress(tx, userId)
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
  const awaitsChoice =
    flow.awaitsChoice === true && before === undefined && findProvider(provider).hasChannels
  if (awaitsChoice) await schedulePoll(tx, { organizationId, sourceId }, new Date(at.getTime() + CHOICE_MS))
  else await queueRun(tx, { organizationId, sourceId, fullResync: false, at })
  await schedulePermissionPoll(tx, { organizationId, sourceId }, at)
  const author = { organizationId, userId }
  await recordEvent(tx, author, {
    action: 'connector.connect',
    target: ['source', sourceId],
    metadata: { provider, externalAccountId: account.externalAccountId, reconnected: before !== undefined },
    providers: [provider],
    at,
  })
  return { sourceId, isReconnected: before !== undefined }
}

/** Resets the account's source to healthy. Revokes its former grant, unless that would also end the new one. */
async function reconnect(
  tx: Tx,
  { clock, cipher, revocations }: AccountStoreDependencies,
  { organizationId, provider }: ConnectRequest,
  { externalAccountId, connectedBy }: ConnectedAccount & { connectedBy: string | null },
): Promise<string | undefined> {
  const account = { organizationId, provider, externalAccountId }
  const sourceId = await reconnectSource(tx, { ...account, connectedBy }, clock.now())
  if (sourceId === undefined) return undefined
  const credentials = await findCredentials(tx, cipher, { organizationId, sourceId })
  if (credentials) await revocations.add(tx, { ...account, credentials })
  return sourceId
}
