import type { SkippedItems } from './schemas.ts'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { type ItemFailure } from '../providers/index.ts'
import { requireSource } from '../sources/index.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { failureId, storedFailure } from './stored-failure.ts'

const SHOWN_MAX = 200

const Rows = z.array(
  z.object({
    external_id: z.string(),
    title: z.string().nullable(),
    message: z.string(),
    at: z.date(),
    is_stored: z.boolean(),
  }),
)
const Counted = z.tuple([z.object({ skipped: z.number() })])

/**
 * The items that a source's runs could not read since its last full sync and have not stored since. @throws AppError
 * `not_found`
 */
export async function listSkipped(db: Db, caller: Caller, sourceId: string): Promise<SkippedItems> {
  const { organizationId } = caller
  const { provider } = await requireSource(db, caller, sourceId)
  const { rows } = await sql`
    select s.external_id, coalesce(s.title, nullif(i.title, '')) as title, s.message, s.at,
      i.id is not null as is_stored
    from ${skippedOf({ organizationId, sourceId, provider })}
    order by s.at desc, s.external_id
    limit ${SHOWN_MAX + 1}`.execute(db)
  const skipped = Rows.parse(rows)
  return {
    skippedItems: skipped.slice(0, SHOWN_MAX).map((row) => ({
      externalId: row.external_id,
      title: row.title,
      reason: row.message,
      isStored: row.is_stored,
      at: row.at.toISOString(),
    })),
    isCapped: skipped.length > SHOWN_MAX,
  }
}

/** How many items the runs of a source skipped and have not stored since. */
export async function countSkipped(db: Db, source: SourceRef & { provider: ProviderId }): Promise<number> {
  const { rows } = await sql`select count(*)::int as skipped from ${skippedOf(source)}`.execute(db)
  return Counted.parse(rows)[0].skipped
}

/** The latest failure `s` of each skipped item, with the item `i` if it is stored. */
function skippedOf({
  organizationId,
  sourceId,
  provider,
}: SourceRef & { provider: ProviderId }): RawBuilder<unknown> {
  return sql`(
      select distinct on (f.external_id) f.external_id, f.title, f.message, f.created_at as at
      from sync_run_failures f
      join sync_runs r on r.organization_id = f.organization_id and r.id = f.run_id
      where f.organization_id = ${organizationId} and r.source_id = ${sourceId}
        -- A full sync reads everything again, so it replaces what runs before it reported.
        and r.created_at >= coalesce((
          select max(u.created_at) from sync_runs u
          where u.organization_id = ${organizationId} and u.source_id = ${sourceId}
            and u.full_resync and u.status = 'succeeded'), '-infinity')
      order by f.external_id, f.created_at desc
    ) s
    left join source_items i on i.organization_id = ${organizationId} and i.provider = ${provider}
      and i.external_id = s.external_id
    where i.id is null or i.synced_at <= s.at`
}

/** Replaces reasons with those of a later read, and deletes them for missing items. */
export async function renewFailures(
  tx: Tx,
  { organizationId, sourceId }: SourceRef,
  {
    failures,
    skipped,
    gone,
  }: { failures: readonly ItemFailure[]; skipped: readonly ItemFailure[]; gone: readonly string[] },
  at: Date,
): Promise<void> {
  const reasons = [
    ...failures.map((failure) => storedFailure(failure, false)),
    ...skipped.map((skip) => storedFailure(skip, true)),
  ]
  if (reasons.length > 0)
    await sql`
      update sync_run_failures f set message = given.message, code = given.code,
        title = coalesce(given.title, f.title), is_skip = given.is_skip, created_at = ${at}
      from json_to_recordset(${JSON.stringify(reasons)}::json)
        as given(external_id text, message text, code text, title text, is_skip boolean)
      where f.organization_id = ${organizationId} and ${ofSource({ organizationId, sourceId })} and f.external_id = given.external_id`.execute(
      tx,
    )
  await deleteFailures(tx, { organizationId, sourceId }, { gone, named: [...failures, ...skipped] })
}

/** Deletes the failures of items that no longer exist, except of items that failed again. */
export async function deleteFailures(
  tx: Tx,
  source: SourceRef,
  { gone, named }: { gone: readonly string[]; named: readonly ItemFailure[] },
): Promise<void> {
  const again = new Set(named.map(({ externalId }) => failureId(externalId)))
  const settled = gone.map(failureId).filter((id) => !again.has(id))
  if (settled.length > 0)
    await sql`
      delete from sync_run_failures f using json_array_elements_text(${JSON.stringify(settled)}::json) as given(external_id)
      where f.organization_id = ${source.organizationId} and ${ofSource(source)} and f.external_id = given.external_id`.execute(
      tx,
    )
}

const ofSource = ({ organizationId, sourceId }: SourceRef): RawBuilder<unknown> => sql`f.run_id in (
    select id from sync_runs where organization_id = ${organizationId} and source_id = ${sourceId})`
