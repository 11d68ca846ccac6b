import { RelativeTime } from '../../ui/relative-time.tsx'
import { isPushOnly, type Source } from './source-words.ts'

/** How fresh a source is, in words. */
export function LastSynced({ source }: { source: Source }) {
  if (isPushOnly(source)) return <>On push</>
  return source.lastSyncedAt === null ? <>Never</> : <RelativeTime at={source.lastSyncedAt} />
}
