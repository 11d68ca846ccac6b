import { describe, expect, it } from 'vitest'
import { type Canvas, joined, withoutSources } from './canvas-parts.ts'

const node = (id: string, kind: 'entity' | 'source' = 'entity'): Canvas['nodes'][number] => ({
  id,
  kind,
  type: kind === 'source' ? 'notion' : 'topic',
  label: id,
  provider: null,
  weight: 1,
})
const edge = (source: string, target: string): Canvas['edges'][number] => ({
  id: `${source} ${target}`,
  source,
  target,
  type: 'co_occurs',
  weight: 1,
})
const canvas = (nodes: Canvas['nodes'], edges: Canvas['edges']): Canvas => ({
  nodes,
  edges,
  generatedAt: '2026-03-02T09:30:00.000Z',
  complete: true,
  itemsWaiting: 0,
})

describe('the part of the memory that is shown', () => {
  it('omits sources and their edges', () => {
    const all = canvas([node('a'), node('b'), node('s', 'source')], [edge('a', 'b'), edge('s', 'a')])
    expect(withoutSources(all)).toMatchObject({ nodes: [node('a'), node('b')], edges: [edge('a', 'b')] })
  })

  it('keeps the weights of what it had before a merge, because the other counts fewer items', () => {
    const one = canvas([{ ...node('a'), weight: 60 }], [{ ...edge('a', 'b'), weight: 7 }])
    expect(joined(one, canvas([node('a')], [edge('a', 'b')]))).toEqual(one)
  })

  it('has each node and edge once after a merge', () => {
    const one = canvas([node('a'), node('b')], [edge('a', 'b')])
    const other = canvas([node('b'), node('c')], [edge('a', 'b'), edge('b', 'c')])
    const both = joined(one, other)
    expect(both.nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(both.edges.map(({ id }) => id)).toEqual(['a b', 'b c'])
  })
})
