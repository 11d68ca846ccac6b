import { count, formatNumber } from '../../ui/format.ts'
import type { useItems } from './use-items.ts'

/** The service counts no further. */
const COUNTED_MAX = 10_000

/** How many items match. A search is not counted before it has read everything. */
export function totalOf({
  total,
  rows,
  hasNextPage,
  isPending,
}: Pick<ReturnType<typeof useItems>, 'total' | 'rows' | 'hasNextPage' | 'isPending'>): string {
  if (isPending) return 'Latest change first.'
  if (total === null)
    return hasNextPage ? `${formatNumber(rows.length)} found so far` : `${formatNumber(rows.length)} found`
  return total >= COUNTED_MAX ? `${formatNumber(COUNTED_MAX)} or more items` : count(total, 'item')
}
