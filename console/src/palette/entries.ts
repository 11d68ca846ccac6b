import type { LucideIcon } from 'lucide-react'

export interface Entry {
  id: string
  label: string
  /** The entry's type or origin. */
  hint?: string
  icon: LucideIcon
  /** The provider whose drawing replaces the icon. */
  provider?: string | undefined
  /** The entry opens a page, which then takes the focus. */
  isNavigation: boolean
  run: () => void
}

export interface EntryGroup {
  label: string
  entries: readonly Entry[]
  /** Shows all entries of the group, even with an empty query. */
  isWhole?: boolean
}

/** The maximum number of entries per group, so that every group stays in view. */
const GROUP_MAX = 6

/** The entries that contain every word of the query, by group, those that begin with it first. Omits empty groups. */
export function matching(groups: readonly EntryGroup[], query: string): EntryGroup[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const begins = (entry: Entry): boolean => entry.label.toLowerCase().startsWith(words.join(' '))
  return groups.flatMap(({ label, entries, isWhole }) => {
    const found = entries.filter((entry) => {
      const text = `${entry.label} ${entry.hint ?? ''}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (found.length === 0) return []
    const sorted = found.toSorted((one, other) => Number(begins(other)) - Number(begins(one)))
    return [{ label, entries: isWhole ? sorted : sorted.slice(0, GROUP_MAX) }]
  })
}
