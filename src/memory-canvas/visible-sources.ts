import type { Db } from '../database/database.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { providersOf } from '../providers/index.ts'

/** A source whose items the caller may see. */
export interface VisibleSource {
  id: string
  provider: ProviderId
  label: string
}

/** What is looked at: the sources of an organization that the caller may see. Everything of the canvas is counted within it. */
export interface View {
  organizationId: string
  sources: readonly VisibleSource[]
}

/** The sources in the caller's scope, and of one provider where that is asked for, that nobody has removed; the first made first. */
export async function viewOf(db: Db, caller: Caller, provider?: ProviderId): Promise<View> {
  const { organizationId } = caller
  const providers = providersOf(caller).filter((one) => provider === undefined || one === provider)
  if (providers.length === 0) return { organizationId, sources: [] }
  const rows = await db
    .selectFrom('sources')
    .select(['id', 'provider', 'display_name'])
    .where('organization_id', '=', organizationId)
    .where('provider', 'in', providers)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return {
    organizationId,
    sources: rows.map(({ id, provider: of, display_name: label }) => ({ id, provider: of, label })),
  }
}
