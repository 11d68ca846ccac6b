import type { Tx } from '../database/database.ts'
import type { SourceRef } from '../kernel/source-ref.ts'

/** The provider announced a change: poll soon, but not before a retry time, a resumption or the first run. */
export async function noteAnnouncement(
  tx: Tx,
  source: SourceRef,
  { at, pollAt }: { at: Date; pollAt: Date },
): Promise<void> {
  await tx
    .updateTable('sources')
    .set((set) => ({
      push_since: set.fn.coalesce('push_since', set.val(at)),
      next_poll_at: set
        .case()
        .when('status', 'in', ['error', 'pending'])
        .then(set.ref('next_poll_at'))
        .else(set.fn<Date>('least', [set.ref('next_poll_at'), set.val(pollAt)]))
        .end(),
    }))
    .where('organization_id', '=', source.organizationId)
    .where('id', '=', source.sourceId)
    .where('status', '<>', 'disabled')
    .execute()
}

/** Announcements were lost: polls cover the gap until new ones arrive. */
export async function clearAnnouncements(tx: Tx, source: SourceRef): Promise<void> {
  await tx
    .updateTable('sources')
    .set({ push_since: null })
    .where('organization_id', '=', source.organizationId)
    .where('id', '=', source.sourceId)
    .execute()
}
