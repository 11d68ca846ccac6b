/** What waits, by owner: owners take turns, each with the one of theirs that has waited longest. */
export interface FairQueue<T> {
  readonly size: number
  add(owner: string, waiting: T): void
  /** Takes what is next; undefined when nothing waits. */
  next(): T | undefined
}

export function createFairQueue<T>(): FairQueue<T> {
  // In the order of the owners' turns: whoever had one goes to the end.
  const lines = new Map<string, T[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add(owner, waiting) {
      const line = lines.get(owner)
      if (line) line.push(waiting)
      else lines.set(owner, [waiting])
      size += 1
    },
    next() {
      for (const [owner, line] of lines) {
        const first = line.shift()
        lines.delete(owner)
        if (line.length > 0) lines.set(owner, line)
        size -= 1
        return first
      }
      return undefined
    },
  }
}
