/** How many requests an emulator has answered, faults included, control routes left out. */
export interface RequestLog {
  count(request: { method: string; path: string }): void
  readonly total: number
  /** Requests by path. */
  byPath(): Record<string, number>
  summary(): { total: number; byPath: Record<string, number> }
  reset(): void
}

/** An empty log. Paths with ids are counted by their shape once there are very many of them. */
export function createRequestLog(): RequestLog {
  let total = 0
  const paths = new Map<string, number>()
  const byPath = () => Object.fromEntries(paths)
  return {
    count: ({ path }) => {
      total += 1
      const key = paths.has(path) || paths.size < 1000 ? path : 'other'
      paths.set(key, (paths.get(key) ?? 0) + 1)
    },
    get total() {
      return total
    },
    byPath,
    summary: () => ({ total, byPath: byPath() }),
    reset: () => {
      total = 0
      paths.clear()
    },
  }
}
