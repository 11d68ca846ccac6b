import { count, formatNumber } from '../../ui/format.ts'
import type { useItems } from './use-items.ts'

/** The service stops counting here. */
const COUNTED_MAX = 10_000

/** How many items match. The total of a search is known only after the last page. */
export function totalOf({
  total,
  rows,
  hasNextPage,
  data,
}: Pick<ReturnType<typeof useItems>, 'total' | 'rows' | 'hasNextPage' | 'data'>): string {
  if (data === undefined) return 'Latest change first.'
  if (total === null)
    return hasNextPage ? `${formatNumber(rows.length)} found so far` : `${formatNumber(rows.length)} found`
  return total >= COUNTED_MAX ? `${formatNumber(COUNTED_MAX)} or more items` : count(total, 'item')
}
