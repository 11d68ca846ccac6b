import type { Schemas } from '../../api/client.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The time of use is stored to the minute, so it can lie before the creation. */
export function LastUsed({
  apiKey: { lastUsedAt, createdAt },
}: {
  apiKey: Pick<Schemas['ApiKey'], 'lastUsedAt' | 'createdAt'>
}) {
  if (lastUsedAt === null) return 'Never'
  return <RelativeTime at={lastUsedAt < createdAt ? createdAt : lastUsedAt} />
}
