import type { Retrieved } from '../http/gates.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { PROVIDERS } from '../providers/index.ts'

/** What the audit trail records of a retrieval with these hits. */
export function retrievedOf(
  { requestId, query }: Pick<Retrieved, 'requestId' | 'query'>,
  hits: readonly { provider: ProviderId }[],
): Retrieved {
  const found = new Set(hits.map(({ provider }) => provider))
  return {
    requestId,
    query,
    hitCount: hits.length,
    providers: PROVIDERS.filter((provider) => found.has(provider)),
  }
}
