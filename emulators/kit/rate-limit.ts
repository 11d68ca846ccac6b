export interface RateLimit {
  /** Null when the request is let through, otherwise how many whole seconds to wait. */
  take(key: string): number | null
}

/** At most `perMinute` requests for each key in a fixed window of a minute; without a limit everything passes. */
export function createRateLimit(perMinute: number | null, now: () => number): RateLimit {
  const windows = new Map<string, { start: number; used: number }>()
  return {
    take: (key) => {
      if (perMinute === null) return null
      const current = windows.get(key)
      if (!current || now() - current.start >= 60_000) {
        windows.set(key, { start: now(), used: 1 })
        return null
      }
      current.used += 1
      if (current.used <= perMinute) return null
      return Math.max(1, Math.ceil((current.start + 60_000 - now()) / 1000))
    },
  }
}
