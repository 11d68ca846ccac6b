import { RelativeTime } from '../../ui/relative-time.tsx'
import { isPushOnly, type Source } from './source-words.ts'

export function LastSynced({ source }: { source: Source }) {
  if (isPushOnly(source)) return <>When pushed</>
  return source.lastSyncedAt === null ? <>Never</> : <RelativeTime at={source.lastSyncedAt} />
}
