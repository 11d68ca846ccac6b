import { useEffect, useState } from 'react'

const SLOW_MS = 200

/** Whether something has been going on long enough to be shown as such: what is quick should not flicker. */
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
