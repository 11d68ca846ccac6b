import { useEffect } from 'react'

const NAME = 'Memory console'

/** Sets the title of the browser tab and history entry. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`
  }, [title])
}
