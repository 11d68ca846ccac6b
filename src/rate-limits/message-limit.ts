import type { RateSubject } from './rate-limit.ts'
import { rateLimited } from './rate-limit.ts'

const WINDOW_MS = 60_000
const SUBJECTS_REMEMBERED = 10_000

/** Limits messages of MCP or SCIM, which no route's window counts. It is in memory. @throws AppError `rate_limited` */
export type MessageLimit = (subject: RateSubject) => void

/** The generic cell rate algorithm: a burst of `limitPerMinute`, and as many in any later minute. */
export function createMessageLimit({
  limitPerMinute,
  action,
  now,
}: {
  limitPerMinute: number
  /** The limited action, as the error names it. */
  action: 'mcp' | 'scim'
  /** Milliseconds since the epoch. */
  now: () => number
}): MessageLimit {
  const intervalMs = WINDOW_MS / limitPerMinute
  const nextDue = new Map<string, number>()
  return ({ organizationId, subjectId }) => {
    const at = now()
    const subject = `${organizationId} ${subjectId}`
    // The last part absorbs rounding, which would refuse the last message of many limits.
    const latest = at + WINDOW_MS + Math.min(1, intervalMs) / 2
    const next = nextDue.get(subject) ?? at
    // A later time than any message can set: the clock was turned back.
    const due = (next > latest ? at : Math.max(next, at)) + intervalMs
    if (due > latest) throw rateLimited(action, limitPerMinute, new Date(due - WINDOW_MS), at)
    if (nextDue.size >= SUBJECTS_REMEMBERED) evictPassed(nextDue, at)
    nextDue.set(subject, due)
  }
}

function evictPassed(nextDue: Map<string, number>, at: number): void {
  for (const [subject, due] of nextDue) if (due <= at) nextDue.delete(subject)
}
