/** Counts the requests an emulator answered, including faults but not control routes. */
export interface RequestLog {
  count(request: { method: string; path: string }): void
  readonly total: number
  byPath(): Record<string, number>
  summary(): { total: number; byPath: Record<string, number> }
  reset(): void
}

/** An empty log. Once there are very many paths with ids, it groups them by shape. */
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
