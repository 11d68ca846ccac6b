import type { Schemas } from '../../api/client.ts'

export type Source = Schemas['Source']
export type SyncRun = Schemas['SyncRun']
export type SourceKind = Schemas['SourceItem']['sourceKind']

/** Whether a source has no account at its provider: documents come to it by files and pushes alone. */
export function isPushOnly({ externalAccountId }: Pick<Source, 'externalAccountId'>): boolean {
  return externalAccountId.startsWith('push:')
}

/** Whether a run waits for a worker or is at work. */
export function isActive({ status }: Pick<SyncRun, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/** What items are, in the words that people use. */
export const KINDS: Record<SourceKind, string> = {
  document: 'Document',
  message: 'Message',
  file: 'File',
}

/** How long a run took: "42 s", "3 min 20 s", "2 h 5 min"; null while it goes on. */
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
