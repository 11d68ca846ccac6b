import { useEffect, useState } from 'react'

/** For a dialog that is mounted only while it is open: Mantine returns the focus only when a mounted one closes. */
export function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    },
    [opener],
  )
}

/** Longer than a dialog takes to fade and to return the focus to its opener. */
const RETURNED_MS = 300

/** Moves the focus to the page's heading when a dialog closes whose opener was deleted, so that Tab continues there. */
export function useFocusAfterDeletion(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return
    return () => {
      setTimeout(() => {
        const heading = document.querySelector<HTMLElement>('main h1')
        if (heading === null || document.activeElement !== document.body) return
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }, RETURNED_MS)
    }
  }, [isOpen])
}
