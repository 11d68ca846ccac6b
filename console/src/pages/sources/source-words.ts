import { isPushOnly } from '../../../../client/src/index.ts'
import type { Schemas } from '../../api/client.ts'
import { filesProvider, hasChannels, providerFacts } from '../../api/provider-list.ts'
import { formatNumber } from '../../ui/format.ts'

export { isPushOnly }

export type Source = Schemas['Source']
export type SyncRun = Schemas['SyncRun']
export type SourceKind = Schemas['SourceItem']['sourceKind']

/** Whether a source has the default name of a workspace's push-only sources. */
function hasFirstName({ displayName, provider }: Pick<Source, 'displayName' | 'provider'>): boolean {
  return displayName === `${providerFacts(provider).name} (push)`
}

/** Whether a source is one of the workspace's initial push-only sources and nobody has used it. */
export function isUnused(source: Source): boolean {
  return (
    isPushOnly(source) && source.sourceItemCount === 0 && source.status === 'active' && hasFirstName(source)
  )
}

/** Whether it is the default source for files. */
export function isForFiles(source: Source): boolean {
  return isPushOnly(source) && source.provider === filesProvider() && hasFirstName(source)
}

/** Where files go: the source in the URL, else the one for files, else another that receives documents. */
export function fileTarget(sources: readonly Source[], asked: string | undefined): Source | undefined {
  const open = sources.filter(isPushOnly)
  return (
    open.find(({ id }) => id === asked) ?? open.find(isForFiles) ?? open.find((source) => !isUnused(source))
  )
}

/** The default source for files is called "Files" until a user renames it. */
export function nameOf(source: Source): string {
  return isForFiles(source) ? 'Files' : source.displayName
}

export function isActive({ status }: Pick<SyncRun, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

type RunCounts = Pick<SyncRun, 'itemsIngested' | 'itemsUnchanged' | 'itemsDeleted' | 'itemsSkipped'>

/** How many items a run found: each was stored, unchanged, removed or skipped. */
export function foundBy(run: RunCounts): number {
  return run.itemsIngested + (run.itemsUnchanged ?? 0) + run.itemsDeleted + skippedBy(run)
}

export function skippedBy({ itemsSkipped = 0 }: Pick<SyncRun, 'itemsSkipped'>): number {
  return itemsSkipped
}

/** "12 found: 5 stored, 4 unchanged, 2 removed, 1 skipped". */
export function countsOf(run: RunCounts): string {
  const parts = [
    `${formatNumber(run.itemsIngested)} stored`,
    `${formatNumber(run.itemsUnchanged ?? 0)} unchanged`,
    `${formatNumber(run.itemsDeleted)} removed`,
    `${formatNumber(skippedBy(run))} skipped`,
  ]
  return `${formatNumber(foundBy(run))} found: ${parts.join(', ')}`
}

/** Whether a new source waits for the choice of its channels: its first run has not been queued. */
export function awaitsChannels({ status, provider }: Source, run: SyncRun | undefined): boolean {
  return status === 'pending' && run === undefined && hasChannels(provider)
}

/** The fix for an item that a run could not read. */
export function fixOfItem(provider: Source['provider'], code: Schemas['SyncRunFailure']['code']): string {
  const { name } = providerFacts(provider)
  if (code === 'service_failed') return 'Send the ID to the operator: the log of the service has the cause.'
  if (code === 'not_storable') return `Shorten or split it in ${name}, then sync again.`
  return `Check in ${name} that it exists and that the account can open it, then sync again.`
}

/** The display name of each kind. */
export const KINDS: Record<SourceKind, string> = {
  document: 'Document',
  message: 'Message',
  file: 'File',
}

/** The duration of a run: "42 s", "3 min 20 s", "2 h 5 min"; null while it is active. */
export function durationOf({
  startedAt,
  finishedAt,
}: Pick<SyncRun, 'startedAt' | 'finishedAt'>): string | null {
  if (startedAt === null || finishedAt === null) return null
  const seconds = Math.max(0, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000))
  if (seconds < 1) return 'under 1 s'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
