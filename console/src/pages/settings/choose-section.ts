interface Section {
  id: string
  /** The position of its first pixel, relative to where a link scrolls it to. */
  top: number
}

interface Page {
  scrolled: number
  /** The maximum scroll position. */
  room: number
  height: number
  /** The section of the last followed link. */
  chosen: string
}

/** Sizes are fractions of a pixel. */
const NEAR = 2

/**
 * The section to mark as current. The threshold moves down the window as the page scrolls, because the last sections
 * cannot reach the top.
 */
export function chooseSection(sections: readonly Section[], page: Page): string | undefined {
  const { scrolled, room, height } = page
  const chosen = sections.find(({ id }) => id === page.chosen)
  if (chosen !== undefined && isWhereItsLinkLeads(chosen, page)) return chosen.id
  const line = room > 0 ? height * Math.min(1, scrolled / room) : 0
  return (sections.findLast(({ top }) => top <= line + NEAR) ?? sections[0])?.id
}

/** At the top, or as near to it as the page can be scrolled. */
function isWhereItsLinkLeads({ top }: Section, { scrolled, room }: Page): boolean {
  return Math.abs(top) <= NEAR || (top > 0 && scrolled >= room - NEAR)
}
