import type { ListedItem } from '../sources/use-items.ts'

/** The items that one source changed on one day, newest first. */
export interface Burst {
  key: string
  /** Local midnight of the day. */
  day: Date
  items: readonly ListedItem[]
}

/** Groups items by day and source. `items` are in order of their changes, newest first. */
export function burstsOf(items: readonly ListedItem[]): readonly Burst[] {
  const bursts = new Map<string, Burst & { items: ListedItem[] }>()
  for (const item of items) {
    const day = new Date(item.updatedAt)
    day.setHours(0, 0, 0, 0)
    const key = `${day.getTime()} ${item.isFile ? 'files' : item.connectorId}`
    const known = bursts.get(key)
    if (known) known.items.push(item)
    else bursts.set(key, { key, day, items: [item] })
  }
  return [...bursts.values()]
}
