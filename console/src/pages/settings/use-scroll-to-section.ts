import { useEffect } from 'react'

/** Scrolls to the section of a link again once a panel above it has its height. */
export function useScrollToSection(isLoaded: boolean): void {
  useEffect(() => {
    if (isLoaded) document.getElementById(globalThis.location.hash.slice(1))?.scrollIntoView()
  }, [isLoaded])
}
