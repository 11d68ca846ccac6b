import { useEffect, useRef, useState } from 'react'

/** Makes an element a drop zone. `onDrop` must read the data synchronously: browsers clear it after the event. */
export function useDrop(onDrop: (data: DataTransfer) => void) {
  const [isOver, setIsOver] = useState(false)
  const [zone, zoneRef] = useState<HTMLElement | null>(null)
  const latest = useRef(onDrop)
  useEffect(() => {
    latest.current = onDrop
  })
  useEffect(() => {
    if (zone === null) return undefined
    const stop = new AbortController()
    const { signal } = stop
    const over = (event: DragEvent): void => {
      event.preventDefault()
      setIsOver(true)
    }
    zone.addEventListener('dragenter', over, { signal })
    zone.addEventListener('dragover', over, { signal })
    zone.addEventListener('dragleave', () => setIsOver(false), { signal })
    zone.addEventListener(
      'drop',
      (event) => {
        event.preventDefault()
        setIsOver(false)
        if (event.dataTransfer) latest.current(event.dataTransfer)
      },
      { signal },
    )
    return () => stop.abort()
  }, [zone])
  return { isOver, zoneRef }
}
