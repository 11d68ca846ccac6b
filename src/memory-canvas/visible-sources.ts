import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { PROVIDERS, providersOf } from '../providers/index.ts'

/** A source whose items the caller may see. */
export interface VisibleSource {
  id: string
  provider: ProviderId
  label: string
  /** How many of its items have been read for the canvas. */
  items: number
}

/** What is looked at: the sources of an organization that the caller may see. Everything of the canvas is counted within it. */
export interface View {
  organizationId: string
  sources: readonly VisibleSource[]
  /** Of what the canvas is drawn from, as it was when the view was taken; null where nothing is known of it. */
  revision: string | null
}

/** The sources in the caller's scope, and of one provider where that is asked for, that nobody has removed; the first made first. */
export async function viewOf(db: Db, caller: Caller, provider?: ProviderId): Promise<View> {
  const { organizationId } = caller
  const providers = providersOf(caller).filter((one) => provider === undefined || one === provider)
  if (providers.length === 0) return { organizationId, sources: [], revision: null }
  const { rows } = await selectSources(db, [organizationId, providers])
  const visible = SourceRows.parse(rows)
  return {
    organizationId,
    sources: visible.map(({ id, provider: of, display_name: label, items }) => ({
      id,
      provider: of,
      label,
      items,
    })),
    revision: visible[0]?.revision ?? null,
  }
}

const SourceRows = z.array(
  z.object({
    id: z.string(),
    provider: z.enum(PROVIDERS),
    display_name: z.string(),
    items: z.number(),
    revision: z.string().nullable(),
  }),
)

const selectSources = prepare(`
  select s.id, s.provider, s.display_name, coalesce(t.items, 0) as items, w.revision from sources s
  left join canvas_work w on w.organization_id = s.organization_id
  left join entity_totals t on t.organization_id = s.organization_id and t.entity_id = s.id and t.source_id = s.id
  where s.organization_id = $1 and s.provider = any($2::text[]) and s.removed_at is null
  order by s.created_at, s.id`)
