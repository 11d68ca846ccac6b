import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { applyAudience, firstAudience } from './audience.ts'
import { emitStatusChange } from './settle-source.ts'
import { hasAccount, lockSource, type Source } from './source.ts'

interface Account {
  organizationId: string
  provider: ProviderId
  externalAccountId: string
  /** The verified address of the connecting user; null when there is none. */
  connectedBy: string | null
}

/** Stores an account's new source, which waits for its first run. @returns its id */
export async function insertConnectedSource(
  tx: Tx,
  { organizationId, provider, ...account }: Account & { displayName: string; at: Date },
): Promise<string> {
  const sourceId = randomUUID()
  await tx
    .insertInto('sources')
    .values({
      organization_id: organizationId,
      id: sourceId,
      provider,
      push_only: false,
      status: 'pending',
      display_name: account.displayName,
      external_account_id: account.externalAccountId,
      connected_by: account.connectedBy,
      audience: firstAudience(provider),
      created_at: account.at,
      updated_at: account.at,
    })
    .execute()
  await applyAudience(tx, { organizationId, sourceId })
  return sourceId
}

/** Resets an account's existing source to healthy. @returns its id; undefined when it has none */
export async function reconnectSource(tx: Tx, account: Account, at: Date): Promise<string | undefined> {
  const before = await findAccountSource(tx, account)
  if (!before) return undefined
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
      error_code: null,
      next_poll_at: null,
      push_since: null,
      connected_by: account.connectedBy,
      updated_at: at,
    }))
    .where('organization_id', '=', account.organizationId)
    .where('id', '=', before.sourceId)
    .returning('status')
    .executeTakeFirstOrThrow()
  if (source.status === 'active') await emitStatusChange(tx, before, { status: 'active' }, at)
  await applyAudience(tx, before)
  return before.sourceId
}

async function findAccountSource(tx: Tx, account: Omit<Account, 'connectedBy'>): Promise<Source | undefined> {
  const { organizationId } = account
  const found = await tx
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('provider', '=', account.provider)
    .where('external_account_id', '=', account.externalAccountId)
    .where(hasAccount())
    .executeTakeFirst()
  return found && (await lockSource(tx, { organizationId, sourceId: found.id }))
}
