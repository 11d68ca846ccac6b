import { useEffect, useState } from 'react'

const SLOW_MS = 200

/** Whether something takes long enough to show it, so that fast work does not flicker. */
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
