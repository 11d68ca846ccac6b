import { useEffect, useState } from 'react'

const SLOW_MS = 200

/** True once an operation is slow enough to show progress, so that fast ones don't flicker. */
export function useIsSlow(isGoingOn: boolean): boolean {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    if (!isGoingOn) return undefined
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS)
    return () => {
      clearTimeout(timer)
      setIsSlow(false)
    }
  }, [isGoingOn])
  return isGoingOn && isSlow
}
