import { type CanvasEdge, type CanvasNode, KINDS, kindOf } from './kinds.ts'
import type { SortColumn } from './memory-search.ts'

export interface MemoryRow {
  node: CanvasNode
  kind: string
  /** The number of visible nodes that it is linked to. */
  links: number
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

export function rowsOf(nodes: readonly CanvasNode[], edges: readonly CanvasEdge[]): MemoryRow[] {
  const neighbours = neighboursOf(edges)
  return nodes.map((node) => ({
    node,
    kind: KINDS[kindOf(node)].one,
    links: neighbours.get(node.id)?.size ?? 0,
  }))
}

/** The neighbors of each node, by ID. */
export function neighboursOf(edges: readonly CanvasEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const neighbours = new Map<string, Set<string>>()
  const add = (from: string, to: string): void => {
    const known = neighbours.get(from)
    if (known) known.add(to)
    else neighbours.set(from, new Set([to]))
  }
  for (const { source, target } of edges) {
    if (source === target) continue
    add(source, target)
    add(target, source)
  }
  return neighbours
}

/** The sort direction: by default, numbers descend and names ascend. */
export function isDescending(column: SortColumn, isReversed: boolean): boolean {
  return (column === 'weight' || column === 'links') !== isReversed
}

/** Sorts rows by a column. Ties keep their order, heaviest first. */
export function sortRows(rows: readonly MemoryRow[], column: SortColumn, isReversed: boolean): MemoryRow[] {
  const sign = isDescending(column, isReversed) ? -1 : 1
  return rows.toSorted((one, other) => sign * compare(one, other, column))
}

function compare(one: MemoryRow, other: MemoryRow, column: SortColumn): number {
  switch (column) {
    case 'name':
      return words.compare(one.node.label, other.node.label)
    case 'kind':
      return words.compare(one.kind, other.kind)
    case 'weight':
      return one.node.weight - other.node.weight
    case 'links':
      return one.links - other.links
  }
}
