import { hash } from 'node:crypto'
import { type Clock, HOUR_MS } from '../kernel/clock.ts'
import type { JsonValue } from '../providers/index.ts'

/** How long a run may read without progress, in milliseconds. */
const WITHOUT_NEWS_MAX_MS = HOUR_MS
const LOOK_MS = 60_000

/** The service stopped a run that would never end. Users see the message. */
export class RunStopped extends Error {
  constructor(reason: string) {
    super(`The run was stopped: ${reason}`)
    this.name = 'RunStopped'
  }
}

/** Detects a run that loops: counts reading time since the last progress. */
export interface ProgressWatch {
  /** Aborts with {@link RunStopped}. */
  readonly signal: AbortSignal
  /** Counts this time, unlike the time for storing. */
  reading<Result>(read: () => Promise<Result>): Promise<Result>
  /** Does not count this time: the provider asked for the wait. */
  waiting<Result>(wait: () => Promise<Result>): Promise<Result>
  /** A page was stored. It is progress when it changed something, or its cursor is new to this run. */
  stored(cursor: JsonValue, counts: { ingested: number; deleted: number }): void
  end(): void
}

/** Watches one run. `lookMs`: interval of the check. */
export function watchProgress(clock: Clock, lookMs: number = LOOK_MS): ProgressWatch {
  const overdue = new AbortController()
  const cursors = new Set<string>()
  const open = { reads: 0, waits: 0 }
  let spentMs = 0
  let countedFrom: number | null = null

  function count(): void {
    const now = clock.now().getTime()
    if (countedFrom !== null) spentMs += now - countedFrom
    countedFrom = open.reads > 0 && open.waits === 0 ? now : null
  }
  async function during<Result>(what: keyof typeof open, work: () => Promise<Result>): Promise<Result> {
    open[what] += 1
    count()
    try {
      return await work()
    } finally {
      open[what] -= 1
      count()
    }
  }
  // A bare interval: the check neither waits nor fails, so it needs no background task.
  const timer = setInterval(() => {
    count()
    if (spentMs > WITHOUT_NEWS_MAX_MS)
      overdue.abort(new RunStopped('an hour of reading found nothing new at the provider'))
  }, lookMs).unref()

  return {
    signal: overdue.signal,
    reading: (read) => during('reads', read),
    waiting: (wait) => during('waits', wait),
    stored(cursor, { ingested, deleted }) {
      const name = hash('sha1', JSON.stringify(cursor), 'base64')
      if (ingested + deleted > 0 || !cursors.has(name)) spentMs = 0
      cursors.add(name)
    },
    end: () => clearInterval(timer),
  }
}
