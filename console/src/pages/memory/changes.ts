import type { ListedItem } from '../sources/use-items.ts'

/** What one source brought on one day, the latest first. */
export interface Burst {
  key: string
  /** Midnight of the day, here. */
  day: Date
  items: readonly ListedItem[]
}

/** Items as days with what each source brought; `items` are in the order of their changes, the latest first. */
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
