import { describe, expect, it } from 'vitest'
import type { CanvasEdge, CanvasNode } from './kinds.ts'
import { rowsOf, sortRows } from './rows.ts'

const node = (id: string, type: CanvasNode['type'], label: string, weight: number): CanvasNode => ({
  id,
  kind: type === 'slack' ? 'source' : 'entity',
  type,
  label,
  provider: type === 'slack' ? 'slack' : null,
  weight,
})
const edge = (source: string, target: string, type: CanvasEdge['type'] = 'mentions'): CanvasEdge => ({
  id: `${type}:${source}:${target}`,
  source,
  target,
  type,
  weight: 1,
})

const NODES = [
  node('s', 'slack', 'Chat', 30),
  node('b', 'person', 'bo', 20),
  node('a', 'topic', 'Ada 10', 20),
  node('c', 'topic', 'Ada 9', 5),
]
const EDGES = [edge('s', 'a'), edge('s', 'b'), edge('b', 's', 'authored'), edge('a', 'a')]
const labels = (column: Parameters<typeof sortRows>[1], isReversed = false) =>
  sortRows(rowsOf(NODES, EDGES), column, isReversed).map((row) => row.node.label)

describe('the table of the memory', () => {
  it('counts each neighbor once in any direction, and no node as its own', () => {
    expect(rowsOf(NODES, EDGES).map(({ links }) => links)).toEqual([2, 1, 1, 0])
    expect(rowsOf(NODES, EDGES).map(({ kind }) => kind)).toEqual(['Source', 'Person', 'Topic', 'Topic'])
  })

  it('sorts by a column in both directions, and keeps the order of equal rows', () => {
    expect(labels('weight')).toEqual(['Chat', 'bo', 'Ada 10', 'Ada 9'])
    expect(labels('weight', true)).toEqual(['Ada 9', 'bo', 'Ada 10', 'Chat'])
    expect(labels('links')).toEqual(['Chat', 'bo', 'Ada 10', 'Ada 9'])
    expect(labels('kind')).toEqual(['bo', 'Chat', 'Ada 10', 'Ada 9'])
  })

  it('sorts names naturally: numbers by value, without regard to case', () => {
    expect(labels('name')).toEqual(['Ada 9', 'Ada 10', 'bo', 'Chat'])
  })
})
