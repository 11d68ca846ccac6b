import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { Exclusion, Limitation } from './schemas.ts'
import { providersInScope } from '../retrieval/index.ts'
import type { SearchFilter } from '../vector-memory/index.ts'

/** Reported whenever the search was limited to what a user may read, even if that excluded nothing. */
const PERMISSIONS_APPLIED: Limitation = {
  code: 'permissions_applied',
  message: 'The search covered only what the person may read',
}

/** Reported for results of an approximate index. */
export const APPROXIMATE_SEARCH: Limitation = {
  code: 'approximate_search',
  message:
    'Closer passages may be missing, because the operator of this deployment enabled an approximate index',
}

/** Reported when even the nearest passage is too far from the question. */
export const WEAK_EVIDENCE: Limitation = {
  code: 'weak_evidence',
  message:
    'Nothing stored seems to answer this: the closest passage is no closer than it would be to an unrelated question',
}

/** Milliseconds without a sync after which a source may lack recent changes. */
export const STALE_AFTER_MS = HOUR_MS
const NAMED_MAX = 5

type Source = Pick<
  Row<'sources'>,
  'id' | 'provider' | 'push_only' | 'status' | 'display_name' | 'last_synced_at'
>

/** An exclusion for each provider outside the caller's scope, whether or not it has stored items. */
export function exclusionsOf(caller: Caller): Exclusion[] {
  const scope = caller.allowedProviders
  if (scope === null) return []
  return PROVIDERS.filter((provider) => !scope.includes(provider)).map((provider) => ({
    type: 'provider_scope',
    provider,
    reason: `The calling key may not read ${provider}`,
  }))
}

/** The sources that a retrieval read: those of the caller's providers that match the filter. */
export async function findSources(db: Db, caller: Caller, filter: SearchFilter): Promise<Source[]> {
  const providers = providersInScope(caller, filter.providers)
  if (providers?.length === 0) return []
  let query = db
    .selectFrom('sources')
    .select(['id', 'provider', 'push_only', 'status', 'display_name', 'last_synced_at'])
    .where('organization_id', '=', caller.organizationId)
    .where('removed_at', 'is', null)
  if (providers !== null) query = query.where('provider', 'in', [...providers])
  if (filter.connectorId !== undefined) query = query.where('id', '=', filter.connectorId)
  return await query.orderBy('created_at').orderBy('id').execute()
}

/** The limitations of a context, at most one per code. */
export function limitationsOf(
  viewer: Viewer,
  sources: readonly Source[],
  found: { model: string | null; configuredModel: string; isWeak: boolean; isApproximate: boolean },
  now: Date,
): Limitation[] {
  const limitations: Limitation[] = []
  if (viewer.allowedProviders !== null) {
    limitations.push({
      code: 'provider_scope_applied',
      message: `Only these providers were searched, because the calling key is limited to them: ${viewer.allowedProviders.join(', ')}`,
    })
  }
  if (!viewer.readable.isEverything) limitations.push(PERMISSIONS_APPLIED)
  const stale = sources.filter((source) => isStale(source, now))
  if (stale.length > 0) {
    limitations.push({
      code: 'source_stale',
      message: `Recent changes may be missing, because the last sync failed or was over an hour ago: ${named(stale)}`,
    })
  }
  const incomplete = sources.filter(isIncomplete)
  if (incomplete.length > 0) {
    limitations.push({
      code: 'source_sync_incomplete',
      message: `Documents may be missing, because the first sync has not finished: ${named(incomplete)}`,
    })
  }
  if (found.model !== null && found.model !== found.configuredModel) {
    limitations.push({
      code: 'embedding_fallback',
      message: `The stored vectors belong to the embedding model ${found.model}, which was used instead of the configured ${found.configuredModel}`,
    })
  }
  if (found.isWeak) limitations.push(WEAK_EVIDENCE)
  if (found.isApproximate) limitations.push(APPROXIMATE_SEARCH)
  return limitations
}

/** Whether a source may lack changes. A push-only source is as fresh as its last push, so never stale. */
function isStale(source: Source, now: Date): boolean {
  if (source.push_only) return false
  if (source.status === 'error') return true
  return source.last_synced_at !== null && now.getTime() - source.last_synced_at.getTime() > STALE_AFTER_MS
}

function isIncomplete(source: Source): boolean {
  return !source.push_only && (source.status === 'pending' || source.last_synced_at === null)
}

function named(sources: readonly Source[]): string {
  const names = sources.slice(0, NAMED_MAX).map((source) => `${source.display_name} (${source.provider})`)
  const more = sources.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
