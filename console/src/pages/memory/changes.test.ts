import { expect, it } from 'vitest'
import type { ListedItem } from '../sources/use-items.ts'
import { burstsOf } from './changes.ts'

const item = (id: string, provider: ListedItem['provider'], updatedAt: Date) => ({
  id,
  provider,
  updatedAt: updatedAt.toISOString(),
  isFile: false,
})

it('groups changed items by day and provider, the latest first', () => {
  const [today, yesterday] = [new Date(2025, 5, 2, 9), new Date(2025, 5, 1, 23)]
  const bursts = burstsOf([
    item('a', 'notion', today),
    item('b', 'slack', today),
    item('c', 'notion', today),
    item('d', 'notion', yesterday),
  ])
  expect(bursts.map(({ day, items }) => [day.getDate(), items.map(({ id }) => id)])).toEqual([
    [2, ['a', 'c']],
    [2, ['b']],
    [1, ['d']],
  ])
})
