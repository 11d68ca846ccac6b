import { RelativeTime } from '../../ui/relative-time.tsx'
import { isPushOnly, type Source } from './source-words.ts'

/** How fresh a source is, in words. */
export function LastSynced({ source }: { source: Source }) {
  if (isPushOnly(source)) return <>As pushed</>
  return source.lastSyncedAt === null ? <>Never</> : <RelativeTime at={source.lastSyncedAt} />
}
