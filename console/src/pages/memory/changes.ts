import type { ListedItem } from '../sources/use-items.ts'

/** The items of one provider, or the files, that changed on one day, newest first. */
export interface Burst {
  key: string
  /** Local midnight of the day. */
  day: Date
  items: readonly ListedItem[]
}

/** Groups items by day and by what a list names as their origin. `items` are in order of their changes, newest first. */
export function burstsOf(items: readonly ListedItem[]): readonly Burst[] {
  const bursts = new Map<string, Burst & { items: ListedItem[] }>()
  for (const item of items) {
    const day = new Date(item.updatedAt)
    day.setHours(0, 0, 0, 0)
    const key = `${day.getTime()} ${item.isFile ? 'files' : item.provider}`
    const known = bursts.get(key)
    if (known) known.items.push(item)
    else bursts.set(key, { key, day, items: [item] })
  }
  return [...bursts.values()]
}
