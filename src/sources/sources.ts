import { setTimeout as sleep } from 'node:timers/promises'
import { keepWithinPlan } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { findProvider, type ProviderChannel } from '../providers/index.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { changeWithoutLock } from '../item-changes/index.ts'
import { changeSource, recordSourceEvent } from './change-source.ts'
import { insertPushOnlySource } from './push-only.ts'
import { previewRemoval, readOverview } from './count-stored.ts'
import type { Removals } from './removals.ts'
import { requireSource } from './source.ts'
import { findSource, getSource, selectSources, toView, viewFor } from './source-view.ts'
import type { Overview, RemovalPreview, SourceChange, SourceView } from './schemas.ts'

/*
 * The states of a source. `pending`: its first sync has not finished; a push-only source starts `active` instead. A
 * successful run makes it `active`, a failed one `error` with the provider's message. Users can set any of them to
 * `disabled` and back. A disabled source is not polled and refuses runs.
 */

/** Revokes the provider's grant when its source is removed. */
export interface Disconnect {
  /** Call it in the transaction that removes the source, before the removal. */
  prepare(tx: Tx, source: SourceRef): Promise<void>
  /** Call it after the transaction. Does not throw. */
  run(): Promise<void>
}

export interface SourceChannels {
  /** @throws AppError `upstream_error` with the provider's message, `not_configured` */
  list(caller: Caller, source: SourceView, signal: AbortSignal): Promise<ProviderChannel[]>
}

export interface Sources {
  /** The sources of the caller's providers, oldest first. */
  list(caller: Caller): Promise<SourceView[]>
  /** Creates a source that accepts only pushed documents. It is not a connector, so no plan limits it. */
  createPushOnly(caller: Caller, source: { provider: ProviderId; displayName: string }): Promise<SourceView>
  /** @throws AppError `not_found`, `not_a_slack_source`, `audience_not_supported` */
  change(caller: Caller, id: string, change: SourceChange): Promise<SourceView>
  /** A source's channels. @throws AppError `not_found`, `not_a_slack_source`, `upstream_error`, `not_configured` */
  channels(
    caller: Caller,
    id: string,
    signal: AbortSignal,
  ): Promise<{ channels: ProviderChannel[]; channelAllowlist: string[] | null }>
  /** Removes a source with everything in it, at once invisible, and its grant. @throws AppError `not_found` */
  remove(caller: Caller, id: string): Promise<SourceView>
  /** Counts what removing a source would delete. @throws AppError `not_found` */
  previewRemoval(caller: Caller, id: string): Promise<RemovalPreview>
  /** Counts what the viewer may read. */
  overview(viewer: Viewer): Promise<Overview>
}

/** Well below the request timeout. */
const REMOVAL_WAIT_MS = 20_000

interface SourcesDeps {
  db: Db
  clock: Clock
  channels: SourceChannels
  disconnect: Disconnect
  removals: Removals
  /** How long a call waits for the removal it began. */
  removalWaitMs?: number
}

export function createSources(deps: SourcesDeps): Sources {
  const { db, clock, channels } = deps
  return {
    async list(caller) {
      const rows = await selectSources(db, caller).orderBy('created_at').orderBy('id').execute()
      return rows.map(viewFor(caller))
    },
    createPushOnly: (caller, source) =>
      transact(db, async (tx) => {
        const at = clock.now()
        const id = await insertPushOnlySource(tx, { organizationId: caller.organizationId, ...source, at })
        await recordSourceEvent(
          tx,
          caller,
          'source.create',
          { ...source, id },
          { provider: source.provider, pushOnly: true },
          at,
        )
        return await getSource(tx, caller, id)
      }),
    change: (caller, id, change) =>
      transact(db, async (tx) => {
        const before = await requireSource(tx, caller, id, 'locked')
        await changeSource(tx, caller, { ...before, id }, change, clock.now())
        return await getSource(tx, caller, id)
      }),
    async channels(caller, id, signal) {
      const row = await findSource(db, caller, id)
      const source = toView(row)
      if (!findProvider(source.provider).hasChannels)
        throw new AppError('not_a_slack_source', 'Only Slack sources have channels')
      const listed = row.push_only ? [] : await channels.list(caller, source, signal)
      return { channels: listed, channelAllowlist: source.channelAllowlist }
    },
    async previewRemoval(caller, id) {
      const source = await getSource(db, caller, id)
      return await previewRemoval(db, { organizationId: caller.organizationId, sourceId: source.id })
    },
    overview: (viewer) => readOverview(db, viewer),
    remove: (caller, id) => removeSource(deps, caller, id),
  }
}

async function removeSource(deps: SourcesDeps, caller: Caller, id: string): Promise<SourceView> {
  const { db, clock, disconnect, removals } = deps
  const source = { organizationId: caller.organizationId, sourceId: id }
  const removed = await changeWithoutLock(db, caller.organizationId, async (tx, changes) => {
    const before = await getSource(tx, caller, id, 'locked')
    await disconnect.prepare(tx, source)
    await removals.mark(tx, changes, source)
    await keepWithinPlan(tx, caller.organizationId)
    const metadata = { provider: before.provider, itemCount: before.sourceItemCount }
    await recordSourceEvent(tx, caller, 'source.delete', before, metadata, clock.now())
    return before
  })
  const isDone = Promise.all([removals.finish(source), disconnect.run()])
  await Promise.race([isDone, sleep(deps.removalWaitMs ?? REMOVAL_WAIT_MS, undefined, { ref: false })])
  return removed
}
