import type { Hit } from '../../retrieval/index.ts'
import type { Around } from '../read-around.ts'

const REPLY = /^(?:(?:re|fwd?|aw|wg|tr|sv)\s{0,2}:\s{0,4}){1,8}/i
/** The loss of an older message of a thread, because its newest one may correct it. */
const OLDER_LOSS = 0.4

/** The loss of each hit that has a newer message of its thread among the hits. */
export function lossesByThread(hits: readonly Hit[], around: readonly (Around | undefined)[]): number[] {
  const subjects = hits.map(({ title, provider }) => `${provider} ${title.replace(REPLY, '').trim()}`)
  const times = around.map((place) => place?.changedAt.getTime())
  const isThread = new Set(subjects.filter((_, at) => REPLY.test(hits[at]?.title ?? '')))
  return subjects.map((subject, at) => {
    const time = times[at]
    if (time === undefined || !isThread.has(subject)) return 0
    const isOlder = subjects.some((other, n) => other === subject && (times[n] ?? 0) > time)
    return isOlder ? OLDER_LOSS : 0
  })
}
