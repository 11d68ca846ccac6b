import { type RawBuilder, sql } from 'kysely'
import { type AuditAction, recordEvent } from '../audit/index.ts'
import type { Tx } from '../database/database.ts'
import type { SourceStatus } from '../database/schema.ts'
import type { Caller } from '../kernel/caller.ts'
import { AppError } from '../kernel/errors.ts'
import { findProvider } from '../providers/index.ts'
import { applyAudience, hasAudience } from './audience.ts'
import type { SourceChange, SourceView } from './schemas.ts'
import { type requireSource, updateSource } from './source.ts'

type LockedSource = Awaited<ReturnType<typeof requireSource>> & { id: string }

/** @throws AppError `not_a_slack_source`, `audience_not_supported` */
export async function changeSource(
  tx: Tx,
  caller: Caller,
  before: LockedSource,
  change: SourceChange,
  at: Date,
): Promise<void> {
  const { displayName, channelAllowlist, audience } = change
  if (channelAllowlist !== undefined && !findProvider(before.provider).hasChannels) {
    throw new AppError('not_a_slack_source', 'Only Slack sources have a channel allowlist')
  }
  if (audience !== undefined) requireAudience(before)
  // A source in error stays so until a run succeeds: enabling it only ends a pause.
  const status = change.status === 'active' && before.status !== 'disabled' ? undefined : change.status
  const source = { organizationId: caller.organizationId, sourceId: before.id }
  await updateSource(tx, source, {
    display_name: displayName,
    ...(status === 'disabled' ? PAUSED : {}),
    ...(status === 'active' ? RESUMED : {}),
    channel_allowlist: channelAllowlist,
    audience: audience && JSON.stringify(audience),
    updated_at: at,
  }).execute()
  if (audience !== undefined) await applyAudience(tx, source)
  const record = (action: AuditAction, metadata: Record<string, unknown>): Promise<void> =>
    recordSourceEvent(tx, caller, action, before, metadata, at)
  if (displayName !== undefined) await record('source.update', { displayName })
  if (status !== undefined && status !== before.status) {
    await record(status === 'disabled' ? 'source.disable' : 'source.enable', {})
  }
  if (channelAllowlist !== undefined) await record('connector.allowlist.update', { channelAllowlist })
  if (audience !== undefined) await record('source.audience.update', { audience })
}

/** A paused source accepts no events, so polls must cover the gap after it resumes. */
const PAUSED = { status: 'disabled', push_since: null } as const

/** The status before the pause. A source without a next poll time is due now, independent of the servers' clocks. */
const RESUMED: { status: RawBuilder<SourceStatus>; next_poll_at: RawBuilder<Date> } = {
  status: sql<SourceStatus>`case when error_message is not null then 'error'
    when last_synced_at is null and not push_only then 'pending' else 'active' end`,
  next_poll_at: sql<Date>`coalesce(next_poll_at, created_at)`,
}

/** @throws AppError `audience_not_supported` */
function requireAudience({ provider, push_only: isPushOnly }: LockedSource): void {
  const { name } = findProvider(provider)
  if (!hasAudience(provider))
    throw new AppError(
      'audience_not_supported',
      `${name} reports who may read each item, so its sources have no audience`,
    )
  if (isPushOnly)
    throw new AppError(
      'audience_not_supported',
      'This source accepts pushed documents, which carry their own access policy',
    )
}

export async function recordSourceEvent(
  tx: Tx,
  caller: Caller,
  action: AuditAction,
  source: Pick<SourceView, 'id' | 'provider'>,
  metadata: Record<string, unknown>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, {
    action,
    target: ['source', source.id],
    metadata,
    providers: [source.provider],
    at,
  })
}
