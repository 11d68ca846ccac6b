import { type CanvasEdge, type CanvasNode, radiusOf } from './kinds.ts'
import type { NodeBox, Stage } from './spread.ts'

/** Nodes are identified by index. Edges are pairs of indexes. */
export interface LayoutRequest {
  count: number
  /** The space of nodes with labels; empty if there are too many to label all. */
  boxes: readonly NodeBox[]
  stage: Stage
  edges: Uint32Array
  weights: Float32Array
}

/** x and y of each node, interleaved. */
export interface LayoutResponse {
  positions: Float32Array
}

/** The most nodes whose labels all fit. */
const LABELLED_MAX = 120
/** The approximate width of a label's letter, in pixels. */
const LETTER = 6.6

/** Computes node positions in a worker, so that the page stays responsive. @throws Error if the worker cannot start */
export function layOut(
  nodes: readonly CanvasNode[],
  edges: readonly CanvasEdge[],
  stage: Stage,
  signal: AbortSignal,
): Promise<Float32Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('layout.worker.ts', import.meta.url), { type: 'module' })
    const end = (): void => worker.terminate()
    signal.addEventListener('abort', end, { once: true })
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutResponse>) => {
      end()
      resolve(data.positions)
    })
    worker.addEventListener('error', ({ message }) => {
      end()
      reject(new Error(`The graph could not be laid out: ${message}`))
    })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no target origin
    worker.postMessage(requestOf(nodes, edges, stage))
  })
}

function requestOf(nodes: readonly CanvasNode[], edges: readonly CanvasEdge[], stage: Stage): LayoutRequest {
  const places = new Map(nodes.map(({ id }, at) => [id, at]))
  const pairs: number[] = []
  const weights: number[] = []
  for (const { source, target, weight } of edges) {
    const from = places.get(source)
    const to = places.get(target)
    if (from === undefined || to === undefined || from === to) continue
    pairs.push(from, to)
    weights.push(weight)
  }
  const heaviest = nodes.reduce((most, { weight }) => Math.max(most, weight), 1)
  const boxes = nodes.map(({ label, weight }) => ({
    radius: radiusOf(weight, heaviest),
    label: label.length * LETTER,
  }))
  return {
    count: nodes.length,
    boxes: nodes.length > LABELLED_MAX ? [] : boxes,
    stage,
    edges: Uint32Array.from(pairs),
    weights: Float32Array.from(weights),
  }
}
