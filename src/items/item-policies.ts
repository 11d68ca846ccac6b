import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { runCooperatively, type Pausable, SHORT_BURST_MS } from '../kernel/cooperative.ts'
import { internPolicies, type ItemOrigin, principalsOfPolicy } from '../permissions/index.ts'
import { findProvider } from '../providers/index.ts'
import { type CleanItem, itemKey } from './item.ts'

export type StoredBy = ItemOrigin['by']

const Metadata = z.object({ accessPolicy: z.unknown() })

export function originOf(
  { provider, sourceId }: Pick<CleanItem, 'provider' | 'sourceId'>,
  by: StoredBy,
): ItemOrigin {
  if (by === 'push') return { by }
  return { by, sourceId, reportsReaders: findProvider(provider).reportsReaders }
}

/** The ids of items' access policies, by item key. */
export async function findPolicies(
  db: Db,
  organizationId: string,
  items: readonly CleanItem[],
  by: StoredBy,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const policies = await runCooperatively(reading(), signal, SHORT_BURST_MS)
  const ids = await internPolicies(db, organizationId, policies)
  return new Map(items.map((item, at) => [itemKey(item), ids[at] ?? 0]))

  function* reading(): Pausable<ReturnType<typeof principalsOfPolicy>[]> {
    const read: ReturnType<typeof principalsOfPolicy>[] = []
    for (const item of items) {
      yield
      read.push(principalsOfPolicy(accessPolicyOf(item), originOf(item, by)))
    }
    return read
  }
}

function accessPolicyOf({ metadataJson }: CleanItem): unknown {
  // Most have none, and parsing long metadata is slow.
  if (!metadataJson.includes('"accessPolicy"')) return undefined
  return Metadata.parse(JSON.parse(metadataJson)).accessPolicy
}
