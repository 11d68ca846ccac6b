import { describe, expect, it } from 'vitest'
import { Readable } from '../kernel/viewer.ts'
import { GraphCache, type Graph } from './graph-cache.ts'
import type { View } from './visible-sources.ts'

const VIEW: View = {
  organizationId: 'o',
  sources: [{ id: 's', provider: 'slack', label: 'Chat', items: 1 }],
  readable: Readable.everything,
  items: null,
  revision: 'first',
}

function graphOf(nodes: number): Graph {
  const node = { kind: 'entity', type: 'topic', label: 'Atlas', provider: null, weight: 1 } as const
  return { nodes: Array.from({ length: nodes }, (_, n) => ({ ...node, id: `${n}` })), edges: [] }
}

describe('the graph cache', () => {
  it('returns a graph only for the same view, state and query', () => {
    const cache = new GraphCache()
    const graph = graphOf(1)
    cache.keep(VIEW, { limit: 10, q: 'atlas' }, graph)
    expect(cache.find(VIEW, { limit: 10, q: 'atlas' })).toBe(graph)
    const others: View[] = [
      { ...VIEW, revision: 'second' },
      { ...VIEW, organizationId: 'p' },
      { ...VIEW, sources: [] },
      { ...VIEW, items: { ids: '{}', key: 'none' } },
      { ...VIEW, sources: [...VIEW.sources, { id: 't', provider: 'notion', label: 'Wiki', items: 1 }] },
      { ...VIEW, sources: [{ id: 's', provider: 'slack', label: 'Renamed', items: 1 }] },
    ]
    for (const view of others) expect(cache.find(view, { limit: 10, q: 'atlas' })).toBeUndefined()
    const questions = [
      { limit: 11, q: 'atlas' },
      { limit: 10 },
      { limit: 10, q: 'atlas', around: 's' },
      { limit: 10, q: 'atlas', since: new Date(0) },
      { limit: 10, q: 'atlas', provider: 'slack' },
      { limit: 10, q: 'atlas', entityType: 'topic' },
    ] as const
    for (const query of questions) expect(cache.find(VIEW, query)).toBeUndefined()
  })

  it('does not cache a graph of an unknown state', () => {
    const cache = new GraphCache()
    const view = { ...VIEW, revision: null }
    cache.keep(view, { limit: 10 }, graphOf(1))
    expect(cache.find(view, { limit: 10 })).toBeUndefined()
  })

  it('evicts the graphs that were not requested for longest', () => {
    const cache = new GraphCache()
    for (let limit = 1; limit <= 40; limit++) {
      cache.keep(VIEW, { limit }, graphOf(500))
      expect(cache.find(VIEW, { limit: 1 })).toBeDefined()
    }
    const kept = Array.from({ length: 40 }, (_, n) => n + 1).filter((limit) => cache.find(VIEW, { limit }))
    expect(kept).toEqual([1, ...Array.from({ length: 19 }, (_, n) => n + 22)])
  })
})
