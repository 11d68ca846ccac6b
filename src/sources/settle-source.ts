import { isDeepStrictEqual } from 'node:util'
import type { Db, Tx } from '../database/database.ts'
import type { FailureCode } from '../kernel/failure-codes.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'
import type { JsonValue, SourceSettings } from '../providers/index.ts'
import { lockSource, type Source, updateSource } from './source.ts'

/** Saves the position in the provider's feed; null: the next run reads everything. */
export async function saveCursor(tx: Tx, source: SourceRef, cursor: JsonValue | null): Promise<void> {
  await updateSource(tx, source, { sync_cursor: cursor === null ? null : JSON.stringify(cursor) }).execute()
}

export interface RunResult {
  /** Null after success. */
  errorMessage: string | null
  errorCode: FailureCode | null
  /** The full crawl it finished, if any. */
  snapshot: string | null
  nextPollAt: Date
  /** The settings that the run followed. */
  settings: SourceSettings
  at: Date
}

/** Marks a source active or in error after a run, unless paused. Changed settings make it due at once. */
export async function settleSource(tx: Tx, source: SourceRef, result: RunResult): Promise<void> {
  const { errorMessage, snapshot, at } = result
  const isSuccess = errorMessage === null
  const before = await lockSource(tx, source)
  if (!before) return
  const isCurrent = isDeepStrictEqual(before.settings, result.settings)
  const nextPollAt = isSuccess && !isCurrent ? at : result.nextPollAt
  await updateSource(tx, source, {
    status: isSuccess ? 'active' : 'error',
    error_message: errorMessage,
    error_code: result.errorCode,
    next_poll_at: nextPollAt,
    updated_at: at,
    ...(isSuccess ? { last_synced_at: at } : {}),
    ...(isSuccess && snapshot !== null ? { last_snapshot: snapshot } : {}),
  })
    .where('status', '<>', 'disabled')
    .execute()
  await emitStatusChange(tx, before, isSuccess ? { status: 'active' } : { status: 'error', errorMessage }, at)
}

/** Stores the provider's access policy health of a source. */
export async function savePolicyHealth(tx: Tx, source: SourceRef, health: object): Promise<void> {
  await updateSource(tx, source, { policy_health: JSON.stringify(health) }).execute()
}

/** Stores how many items the source's runs could not read. */
export async function saveSkippedCount(tx: Tx, source: SourceRef, count: number): Promise<void> {
  await updateSource(tx, source, { items_skipped: count }).execute()
}

/** The provider ended the source's grant; a paused source stays paused. */
export async function failSource(tx: Tx, source: SourceRef, message: string, at: Date): Promise<void> {
  await fail(tx, source, { error_message: message, error_code: 'access_ended', updated_at: at })
}

async function fail(
  tx: Tx,
  source: SourceRef,
  values: { error_message: string; error_code: FailureCode; updated_at: Date; next_poll_at?: Date },
): Promise<void> {
  const before = await lockSource(tx, source)
  if (!before) return
  await updateSource(tx, source, { status: 'error', ...values })
    .where('status', '<>', 'disabled')
    .execute()
  const { error_message: errorMessage, updated_at: at } = values
  await emitStatusChange(tx, before, { status: 'error', errorMessage }, at)
}

export async function schedulePoll(tx: Db, source: SourceRef, at: Date): Promise<void> {
  await updateSource(tx, source, { next_poll_at: at }).execute()
}

/** Puts a source into error when the deployment lacks its provider's settings. It is due once they are back. */
export async function failUnofferedSource(
  tx: Tx,
  source: SourceRef,
  reason: string,
  at: Date,
): Promise<void> {
  await fail(tx, source, {
    error_message: reason,
    error_code: 'not_configured',
    next_poll_at: at,
    updated_at: at,
  })
}

/** Notifies webhooks when a source stops working or works again; a pause or an unchanged state emits nothing. */
export async function emitStatusChange(
  tx: Tx,
  before: Source,
  after: { status: 'active' } | { status: 'error'; errorMessage: string },
  at: Date,
): Promise<void> {
  const { organizationId, sourceId, provider, displayName, status: previousStatus } = before
  const source = { sourceId, provider, displayName }
  if (previousStatus === 'disabled' || previousStatus === after.status) return
  if (after.status === 'error') {
    const { errorMessage } = after
    await emitEvent(tx, organizationId, { type: 'source.error', at, data: { ...source, errorMessage } })
  } else if (previousStatus !== 'active') {
    await emitEvent(tx, organizationId, { type: 'source.active', at, data: { ...source, previousStatus } })
  }
}
