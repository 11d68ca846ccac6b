import { useSyncExternalStore } from 'react'
import { chooseSection } from './choose-section.ts'

const EVENTS = ['scroll', 'resize', 'hashchange'] as const

/** The section that the reader has come to. */
export function useSectionInView(ids: readonly string[]): string | undefined {
  return useSyncExternalStore(subscribe, () => chooseSection(ids.flatMap(placeOf), placeOfPage()) ?? ids[0])
}

function subscribe(onChange: () => void): () => void {
  for (const event of EVENTS) globalThis.addEventListener(event, onChange, { passive: true })
  return () => {
    for (const event of EVENTS) globalThis.removeEventListener(event, onChange)
  }
}

function placeOf(id: string) {
  const section = document.getElementById(id)
  if (section === null) return []
  const margin = Number.parseFloat(getComputedStyle(section).scrollMarginTop)
  return [{ id, top: section.getBoundingClientRect().top - margin }]
}

function placeOfPage() {
  const { scrollHeight, clientHeight } = document.documentElement
  return {
    scrolled: globalThis.scrollY,
    room: scrollHeight - clientHeight,
    height: clientHeight,
    chosen: globalThis.location.hash.slice(1),
  }
}
