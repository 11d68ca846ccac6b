import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/database/database.ts'
import type { Row } from '../../src/database/schema.ts'
import { ACTIONS } from '../../src/kernel/actions.ts'
import type { AgentCaller } from '../../src/kernel/caller.ts'
import { Readable, type Viewer } from '../../src/kernel/viewer.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import type { ProviderId } from '../../src/kernel/provider-id.ts'

export interface TestOrganization {
  id: string
  /** A push-only source of each provider. */
  sourceIds: Record<ProviderId, string>
  /** A caller with a key for all actions, of all or the given providers, that may read everything. */
  caller(allowedProviders?: readonly ProviderId[] | null): AgentCaller & Viewer
}

const CREATED_AT = new Date('2026-01-01T00:00:00.000Z')

/** Stores an organization with a push-only source of each provider. */
export async function insertOrganization(db: Db): Promise<TestOrganization> {
  const id = randomUUID()
  await db.insertInto('organizations').values({ id, name: 'Test', created_at: CREATED_AT }).execute()
  const sourceIds = Object.fromEntries(PROVIDERS.map((provider) => [provider, randomUUID()])) as Record<
    ProviderId,
    string
  >
  for (const provider of PROVIDERS) await insertSource(db, id, { id: sourceIds[provider], provider })
  const apiKeyId = randomUUID()
  return {
    id,
    sourceIds,
    caller: (allowedProviders = null) => ({
      kind: 'agent',
      organizationId: id,
      apiKeyId,
      actorType: 'agent',
      allowedActions: ACTIONS,
      allowedProviders,
      readable: Readable.everything,
    }),
  }
}

/** Stores a source, push-only and active by default, and returns its id. */
export async function insertSource(
  db: Db,
  organizationId: string,
  values: Partial<Row<'sources'>> & { provider: ProviderId },
): Promise<string> {
  const { policy_health: _, ...columns } = values
  const row = {
    organization_id: organizationId,
    id: randomUUID(),
    push_only: true,
    status: 'active' as const,
    display_name: `Test ${values.provider}`,
    external_account_id: `test-${randomUUID()}`,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...columns,
  }
  await db.insertInto('sources').values(row).execute()
  return row.id
}
