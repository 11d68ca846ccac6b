import { useEffect } from 'react'

const NAME = 'Memory console'

/** Names the page in the browser's tab and history. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`
  }, [title])
}
