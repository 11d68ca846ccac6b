import { expect, it } from 'vitest'
import type { ListedItem } from '../sources/use-items.ts'
import { burstsOf } from './changes.ts'

const item = (id: string, connectorId: string, updatedAt: Date): ListedItem => ({
  id,
  provider: 'notion',
  connectorId,
  sourceKind: 'document',
  externalId: id,
  title: id,
  url: null,
  authorName: null,
  sourceUpdatedAt: null,
  changedAt: updatedAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  syncedAt: updatedAt.toISOString(),
  isFile: false,
})

it('groups changed items by day and source, the latest first', () => {
  const [today, yesterday] = [new Date(2025, 5, 2, 9), new Date(2025, 5, 1, 23)]
  const bursts = burstsOf([
    item('a', 'one', today),
    item('b', 'two', today),
    item('c', 'one', today),
    item('d', 'one', yesterday),
  ])
  expect(bursts.map(({ day, items }) => [day.getDate(), items.map(({ id }) => id)])).toEqual([
    [2, ['a', 'c']],
    [2, ['b']],
    [1, ['d']],
  ])
})
