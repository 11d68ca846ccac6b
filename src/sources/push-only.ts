import { randomUUID } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { inParts } from '../kernel/in-parts.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { findProvider } from '../providers/index.ts'

const INSERTED_AT_ONCE = 500

interface NewSource {
  organizationId: string
  provider: ProviderId
  displayName: string
  at: Date
}

/** Stores a source without a provider account. @returns its id */
export async function insertPushOnlySource(tx: Tx, source: NewSource): Promise<string> {
  const row = rowOf(source)
  await tx.insertInto('sources').values(row).execute()
  return row.id
}

/** Stores the first push-only source of each workspace and provider. */
export async function insertFirstSources(
  tx: Tx,
  organizationIds: readonly string[],
  providers: readonly ProviderId[],
  at: Date,
): Promise<void> {
  const rows = organizationIds.flatMap((organizationId) =>
    providers.map((provider) =>
      rowOf({ organizationId, provider, displayName: `${findProvider(provider).name} (push)`, at }),
    ),
  )
  for (const some of inParts(rows, INSERTED_AT_ONCE)) await tx.insertInto('sources').values(some).execute()
}

function rowOf({ organizationId, provider, displayName, at }: NewSource) {
  return {
    organization_id: organizationId,
    id: randomUUID(),
    provider,
    push_only: true,
    status: 'active' as const,
    display_name: displayName,
    // Clients recognize push-only sources by it.
    external_account_id: `push:${provider}`,
    created_at: at,
    updated_at: at,
  }
}
