import { useEffect, useEffectEvent } from 'react'

const POLL_MS = 3_000

export async function isServiceReady(): Promise<boolean> {
  try {
    return (await fetch('/readyz', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

/** While `isAway`, polls every few seconds and calls `onReady` once when the service is ready. */
export function useWhenReady(isAway: boolean, onReady: () => void): void {
  const ready = useEffectEvent(onReady)
  useEffect(() => {
    if (!isAway) return undefined
    let hasEnded = false
    const end = (): void => {
      hasEnded = true
      clearInterval(timer)
    }
    const timer = setInterval(() => {
      void look()
    }, POLL_MS)
    const look = async (): Promise<void> => {
      if (!(await isServiceReady()) || hasEnded) return
      end()
      ready()
    }
    return end
  }, [isAway])
}
