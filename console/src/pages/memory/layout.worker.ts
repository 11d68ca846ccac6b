import { UndirectedGraph } from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import type { LayoutRequest, LayoutResponse } from './lay-out.ts'
import { spread } from './spread.ts'

const ITERATIONS = { few: 400, many: 160 } as const
const MANY_NODES = 800
/** Radians between successive start positions. The golden angle keeps them from lining up. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))

globalThis.addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  const response: LayoutResponse = { positions: layOut(data) }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no target origin
  globalThis.postMessage(response)
})

/** A deterministic layout: it starts on a spiral, with the heaviest nodes in the middle. */
function layOut({ count, boxes, stage, edges, weights }: LayoutRequest): Float32Array {
  const graph = new UndirectedGraph()
  for (let at = 0; at < count; at++) {
    const radius = 10 * Math.sqrt(at + 0.5)
    graph.addNode(at, { x: radius * Math.cos(at * GOLDEN_ANGLE), y: radius * Math.sin(at * GOLDEN_ANGLE) })
  }
  for (const [at, weight] of weights.entries()) graph.mergeEdge(edges[at * 2], edges[at * 2 + 1], { weight })
  const found = forceAtlas2(graph, {
    iterations: count > MANY_NODES ? ITERATIONS.many : ITERATIONS.few,
    getEdgeWeight: 'weight',
    settings: {
      ...forceAtlas2.inferSettings(graph),
      edgeWeightInfluence: 0.5,
      gravity: 1,
      barnesHutOptimize: count > MANY_NODES / 4,
    },
  })
  const positions = new Float32Array(count * 2)
  for (let at = 0; at < count; at++) {
    positions[at * 2] = found[at]?.x ?? 0
    positions[at * 2 + 1] = found[at]?.y ?? 0
  }
  if (boxes.length > 0) spread(positions, boxes, stage)
  return positions
}
