import type { LucideIcon } from 'lucide-react'

/** Something that the palette can do. */
export interface Entry {
  id: string
  label: string
  /** What kind of thing it is, or where it comes from. */
  hint?: string
  icon: LucideIcon
  /** It leads to a page, which then has the focus. */
  isNavigation: boolean
  run: () => void
}

export interface EntryGroup {
  label: string
  entries: readonly Entry[]
  /** All of them are shown, also before anything is typed. */
  isWhole?: boolean
}

/** Shown of a group at most, so that each group is in view. */
const GROUP_MAX = 6

/** The entries that contain every word of the query, group by group; groups without any are left out. */
export function matching(groups: readonly EntryGroup[], query: string): EntryGroup[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return groups.flatMap(({ label, entries, isWhole }) => {
    const found = entries.filter((entry) => {
      const text = `${entry.label} ${entry.hint ?? ''}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    return found.length === 0 ? [] : [{ label, entries: isWhole ? found : found.slice(0, GROUP_MAX) }]
  })
}
