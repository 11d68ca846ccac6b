import { RelativeTime } from '../../ui/relative-time.tsx'
import { isPushOnly, type Source } from './source-words.ts'

export function LastSynced({ source }: { source: Source }) {
  if (isPushOnly(source)) return <>On push</>
  return source.lastSyncedAt === null ? <>Never</> : <RelativeTime at={source.lastSyncedAt} />
}
