import { hash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import type { JsonValue } from '../providers/index.ts'

/** How long a provider is read without anything new coming of it, milliseconds. */
const WITHOUT_NEWS_MAX_MS = 3_600_000
const LOOK_MS = 60_000

/** The provider answers, but the same again or nothing. */
export class NoProgress extends Error {
  constructor() {
    super('The run was given up: an hour of reading brought nothing new from the provider')
    this.name = 'NoProgress'
  }
}

/** Tells a run that goes round in circles: the time it reads is counted from the last news on. */
export interface ProgressWatch {
  /** Aborts with {@link NoProgress}. */
  readonly signal: AbortSignal
  /** Counts the time that this takes; storing is not the provider's. */
  reading<Result>(read: () => Promise<Result>): Promise<Result>
  /** Does not count the time that this takes: the provider asked for it. */
  waiting<Result>(wait: () => Promise<Result>): Promise<Result>
  /** A page was stored. It is news when it changed something, or carried a cursor that this run has not had. */
  stored(cursor: JsonValue, counts: { ingested: number; deleted: number }): void
  end(): void
}

/** Watches one run. `lookMs`: how often it looks whether the time is over. */
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
  // A bare interval: looking at a clock neither waits nor fails, so there is nothing that a task would add.
  const timer = setInterval(() => {
    count()
    if (spentMs > WITHOUT_NEWS_MAX_MS) overdue.abort(new NoProgress())
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
