import { ENTITY_TYPES } from '../../../src/database/schema-words.ts'

interface CanvasFixture {
  nodes: {
    id: string
    kind: 'entity'
    type: (typeof ENTITY_TYPES)[number]
    label: string
    provider: null
    weight: number
  }[]
  edges: { id: string; source: string; target: string; type: 'co_occurs'; weight: number }[]
  generatedAt: string
  complete: boolean
  itemsWaiting: number
}

/**
 * A memory with more names than the service returns at once: groups around their heaviest name, each with `links`
 * links.
 */
export function canvasOf(count: number, links = 5): CanvasFixture {
  const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  const nodes = Array.from({ length: count }, (_, at) => ({
    id: idOf(at),
    kind: 'entity' as const,
    type: ENTITY_TYPES[at % ENTITY_TYPES.length] ?? 'topic',
    label: `Name ${at}`,
    provider: null,
    weight: Math.ceil(900 / (1 + at)),
  }))
  const groups = Math.ceil(Math.sqrt(count))
  const edges = nodes.flatMap(({ id }, at) =>
    Array.from({ length: links }, (_, nth) => {
      const target = idOf(nth === 0 ? at % groups : (at + groups * nth * nth) % count)
      return {
        id: `co_occurs:${id}:${target}:${nth}`,
        source: id,
        target,
        type: 'co_occurs' as const,
        weight: 1 + nth,
      }
    }),
  )
  return { nodes, edges, generatedAt: '2026-03-02T09:30:00.000Z', complete: true, itemsWaiting: 0 }
}
