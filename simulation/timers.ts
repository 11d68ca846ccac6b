import { bound, currentProcess, type SimulatedProcess } from './processes.ts'

interface Entry {
  at: number
  order: number
  everyMs: number | null
  run: () => void
  owner: SimulatedProcess | undefined
}

const delayOf = (ms: unknown): number => Math.max(1, Math.trunc(Number(ms)) || 1)

/** All timers of this process, which fire when the simulated clock reaches them. */
export class Timers {
  /** The clock's time in epoch milliseconds. */
  now: number
  readonly #entries = new Map<number, Entry>()
  #order = 0

  constructor(now: number) {
    this.now = now
  }

  add(run: () => void, ms: unknown, repeats: boolean): SimulatedTimer {
    return new SimulatedTimer(this, bound(run), delayOf(ms), repeats)
  }

  put(id: number, entry: Omit<Entry, 'order'>): void {
    this.#entries.set(id, { ...entry, order: this.nextOrder() })
  }

  clear = (timer: unknown): void => {
    if (timer instanceof SimulatedTimer) this.#entries.delete(timer.id)
    else if (timer !== undefined && timer !== null) this.#entries.delete(Number(timer))
  }

  nextOrder(): number {
    this.#order += 1
    return this.#order
  }

  /** Fires the next timer that is due by then. @returns whether there was one */
  fire(by: number): boolean {
    const found = this.#next()
    if (!found || found[1].at > by) return false
    const [id, entry] = found
    this.now = Math.max(this.now, entry.at)
    if (entry.everyMs === null) this.#entries.delete(id)
    else this.put(id, { ...entry, at: this.now + entry.everyMs })
    entry.run()
    return true
  }

  #next(): [number, Entry] | undefined {
    let first: [number, Entry] | undefined
    for (const [id, entry] of this.#entries) {
      const isSooner =
        !first || entry.at < first[1].at || (entry.at === first[1].at && entry.order < first[1].order)
      if (entry.owner?.isDead) this.#entries.delete(id)
      else if (isSooner) first = [id, entry]
    }
    return first
  }
}

/** What `setTimeout` and `setInterval` return. */
export class SimulatedTimer {
  readonly id: number
  readonly #timers: Timers
  readonly #ms: number
  readonly #entry: Omit<Entry, 'order'>

  constructor(timers: Timers, run: () => void, ms: number, repeats: boolean) {
    this.id = timers.nextOrder()
    this.#timers = timers
    this.#ms = ms
    this.#entry = { at: timers.now + ms, everyMs: repeats ? ms : null, run, owner: currentProcess() }
    timers.put(this.id, this.#entry)
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  refresh(): this {
    this.#timers.put(this.id, { ...this.#entry, at: this.#timers.now + this.#ms })
    return this
  }

  close(): this {
    this.#timers.clear(this)
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.id
  }

  [Symbol.dispose](): void {
    this.#timers.clear(this)
  }
}
