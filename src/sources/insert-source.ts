import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { PROVIDERS } from '../providers/index.ts'
import { applyAudience, firstAudience } from './audience.ts'
import { firstPushName, pushAccount } from './push-only.ts'

interface NewSource {
  organizationId: string
  provider: ProviderId
  displayName: string
  at: Date
}

export interface Connected {
  externalAccountId: string
  /** The verified address of the connecting user; null when there is none. */
  connectedBy: string | null
}

/** Stores a source without a provider account. @returns its id */
export async function insertPushOnlySource(tx: Tx, source: NewSource): Promise<string> {
  return await insert(tx, source, { pushOnly: true, externalAccountId: pushAccount(source.provider) })
}

/** Stores the push-only sources of a new workspace, one per provider. */
export async function insertPushOnlySources(tx: Tx, organizationId: string, at: Date): Promise<void> {
  for (const provider of PROVIDERS)
    await insertPushOnlySource(tx, { organizationId, provider, displayName: firstPushName(provider), at })
}

/** Stores an account's new source, which waits for its first run. @returns its id */
export async function insertConnectedSource(
  tx: Tx,
  { externalAccountId, connectedBy, ...source }: NewSource & Connected,
): Promise<string> {
  const sourceId = await insert(tx, source, { pushOnly: false, externalAccountId, connectedBy })
  await applyAudience(tx, { organizationId: source.organizationId, sourceId })
  return sourceId
}

async function insert(
  tx: Tx,
  source: NewSource,
  account: { pushOnly: boolean; externalAccountId: string; connectedBy?: string | null },
): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('sources')
    .values({
      organization_id: source.organizationId,
      id,
      provider: source.provider,
      push_only: account.pushOnly,
      status: account.pushOnly ? 'active' : 'pending',
      display_name: source.displayName,
      external_account_id: account.externalAccountId,
      connected_by: account.connectedBy ?? null,
      audience: account.pushOnly ? null : firstAudience(source.provider),
      created_at: source.at,
      updated_at: source.at,
    })
    .execute()
  return id
}
