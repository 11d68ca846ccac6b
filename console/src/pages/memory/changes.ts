import type { ListedItem } from '../sources/use-items.ts'

type Changed = Pick<ListedItem, 'provider' | 'updatedAt' | 'isFile'>

/** The items of one provider, or the files, that changed on one day, newest first. */
export interface Burst<Item = ListedItem> {
  key: string
  /** Local midnight of the day. */
  day: Date
  items: readonly Item[]
}

/** Groups items by day and by what a list names as their origin. `items` are in order of their changes, newest first. */
export function burstsOf<Item extends Changed>(items: readonly Item[]): readonly Burst<Item>[] {
  const bursts = new Map<string, Burst<Item> & { items: Item[] }>()
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
