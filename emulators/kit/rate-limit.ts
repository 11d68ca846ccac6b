export interface RateLimit {
  /** Null when the request passes, otherwise the seconds to wait. */
  take(key: string): number | null
}

/** At most `perMinute` requests per key in a fixed window of a minute; null means no limit. */
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
