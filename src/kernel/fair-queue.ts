/** A queue that serves owners in turn, and each owner's entries first in, first out. */
export interface FairQueue<T> {
  readonly size: number
  add(owner: string, waiting: T): void
  /** Removes and returns the next entry; undefined when the queue is empty. */
  next(): T | undefined
}

export function createFairQueue<T>(): FairQueue<T> {
  // In the order of the owners' turns; an owner that was served moves to the end.
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
