import { RelativeTime } from '../../ui/relative-time.tsx'
import { isPushOnly, type Source } from './source-words.ts'
import classes from './last-synced.module.css'

export function LastSynced({ source }: { source: Source }) {
  if (isPushOnly(source)) return <span className={classes.words}>When pushed</span>
  return source.lastSyncedAt === null ? <>Never</> : <RelativeTime at={source.lastSyncedAt} />
}
