import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { SourceStatus } from '../database/schema.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { applyAudience, type Audience } from './audience.ts'
import { updateSource } from './source.ts'

/** What a user may change. Users cannot set `pending` or `error`: `active` restores what a pause hid. */
export interface SourceChange {
  displayName?: string | undefined
  status?: 'active' | 'disabled' | undefined
  channelAllowlist?: string[] | null | undefined
  audience?: Audience | undefined
}

export async function changeSource(
  tx: Tx,
  source: SourceRef,
  { displayName, status, channelAllowlist, audience }: SourceChange,
  at: Date,
): Promise<void> {
  await updateSource(tx, source, {
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(status === 'disabled' ? PAUSED : {}),
    ...(status === 'active' ? RESUMED : {}),
    ...(channelAllowlist === undefined ? {} : { channel_allowlist: channelAllowlist }),
    ...(audience === undefined ? {} : { audience: JSON.stringify(audience) }),
    updated_at: at,
  }).execute()
  if (audience !== undefined) await applyAudience(tx, source)
}

/** A paused source accepts no events, so polls must cover the gap after it resumes. */
const PAUSED = { status: 'disabled', push_since: null } as const

/** The status before the pause. A source without a next poll time is due now, independent of the servers' clocks. */
const RESUMED: { status: RawBuilder<SourceStatus>; next_poll_at: RawBuilder<Date> } = {
  status: sql<SourceStatus>`case when error_message is not null then 'error'
    when last_synced_at is null and not push_only then 'pending' else 'active' end`,
  next_poll_at: sql<Date>`coalesce(next_poll_at, created_at)`,
}
