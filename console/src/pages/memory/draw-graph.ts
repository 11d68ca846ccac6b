import { UndirectedGraph } from 'graphology'
import { Sigma } from 'sigma'
import { EdgeLineProgram, EdgeRectangleProgram, NodeCircleProgram, NodePointProgram } from 'sigma/rendering'
import {
  type BoxedLabel,
  boxLabel,
  drawLabel,
  drawLabelBox,
  type EdgeAttributes,
  type LabelFrame,
  type NodeAttributes,
  THEMES,
} from './draw-labels.ts'
import { type CanvasEdge, type CanvasNode, type ColorScheme, KINDS, kindOf, radiusOf } from './kinds.ts'
import type { Box, Dot, Size } from './place-labels.ts'
import { neighboursOf } from './rows.ts'
import { paddingOf } from './spread.ts'

export interface GraphDrawing {
  /** Highlights a node, its neighbors and the related ones. `null` removes the highlight. */
  choose(id: string | null, related: ReadonlySet<string>): void
  setScheme(scheme: ColorScheme): void
  /** Zooms one step `in` or `out`; `all` fits the whole graph. */
  zoom(direction: 'in' | 'out' | 'all'): void
  close(): void
}

/** From this many edges on, draws points and lines in one call: without a GPU, each instance is expensive. */
const MANY_EDGES = 1_500
/** Above this, edges are hidden while the graph moves. */
const EDGES_MOVED_MAX = 30_000
const ZOOM_MS = 200
/** Labels of larger graphs may cover nodes: comparing all with all takes too long. */
const DOTS_AVOIDED_MAX = 120
const SETTINGS = {
  labelSize: 12,
  labelWeight: '500',
  // Sigma tries all labels; `drawLabel` skips those that would overlap.
  labelDensity: 20,
  labelRenderedSizeThreshold: 0,
  hideLabelsOnMove: true,
  minCameraRatio: 0.05,
  maxCameraRatio: 3,
  zIndex: true,
  allowInvalidContainer: true,
} as const

/** Draws a graph. @param positions x and y of each node, interleaved @throws Error without WebGL */
export function drawGraph(
  container: HTMLElement,
  given: { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[]; positions: Float32Array },
  options: { scheme: ColorScheme; onChoose: (id: string | null) => void },
): GraphDrawing {
  if (document.createElement('canvas').getContext('webgl2') === null)
    throw new Error('This browser does not support WebGL.')
  const graph = graphOf(given)
  const look: Look = {
    scheme: options.scheme,
    focus: null,
    neighbours: neighboursOf(given.edges),
    chosen: NOTHING_CHOSEN,
  }
  // Sigma draws once while it is created.
  let drawn: Drawn | null = null
  const frames = createFrames(container, look, () => drawn)
  const sigma = new Sigma<NodeAttributes, EdgeAttributes>(graph, container, {
    ...SETTINGS,
    stagePadding: paddingOf(container.clientWidth),
    hideEdgesOnMove: given.edges.length > EDGES_MOVED_MAX,
    ...programsFor(given.edges.length),
    labelFont: getComputedStyle(container).fontFamily,
    defaultDrawNodeLabel: (...node) => drawLabel(frames.current(), ...node),
    defaultDrawNodeHover: (...node) => drawLabelBox(frames.current(), ...node),
    nodeReducer: (id, data) => lookOfNode(look, id, data),
    edgeReducer: (id, data) => lookOfEdge(look, graph.extremities(id), data),
  })
  drawn = { sigma, graph }
  const pointAt = (id: string | null): void => {
    look.focus = id ?? look.chosen.id
    container.dataset.focused = String(look.focus !== null)
    container.style.cursor = id === null ? '' : 'pointer'
    // The pointer may leave one node and enter another in the same frame: one refresh serves both.
    sigma.scheduleRefresh()
  }
  const setScheme = (scheme: ColorScheme): void => {
    look.scheme = scheme
    // Refreshes everything.
    sigma.setSetting('labelColor', { color: THEMES[scheme].label })
  }
  sigma.on('beforeRender', frames.begin)
  sigma.on('enterNode', ({ node }) => pointAt(node))
  sigma.on('leaveNode', () => pointAt(null))
  sigma.on('clickNode', ({ node }) => options.onChoose(node))
  sigma.on('clickStage', () => options.onChoose(null))
  setScheme(options.scheme)
  // The node panel narrows the graph without a window resize event.
  const resized = new ResizeObserver(() => {
    sigma.resize(true)
    sigma.refresh()
  })
  resized.observe(container)
  return {
    choose(id, related) {
      look.chosen = { id: id !== null && graph.hasNode(id) ? id : null, related }
      pointAt(null)
    },
    setScheme,
    zoom: (direction) => zoom(sigma.getCamera(), direction),
    close() {
      resized.disconnect()
      sigma.kill()
    },
  }
}

interface Drawn {
  sigma: Sigma<NodeAttributes, EdgeAttributes>
  graph: UndirectedGraph<NodeAttributes, EdgeAttributes>
}

/** Values that a frame's labels share, computed with the first label after the camera has moved. */
function createFrames(container: HTMLElement, look: Look, drawn: () => Drawn | null) {
  const measure = document.createElement('canvas').getContext('2d')
  let frame: LabelFrame | null = null
  return {
    begin: (): void => {
      frame = null
    },
    current: (): LabelFrame => {
      // Not the canvas's own size, which may lag behind a resize.
      const room = { width: container.clientWidth, height: container.clientHeight }
      frame ??= { scheme: look.scheme, room, ...placesIn(drawn(), look, { room, measure }) }
      return frame
    },
  }
}

/** The nodes to avoid, and the boxes of the chosen and the hovered node, which all other labels avoid. */
function placesIn(
  drawn: Drawn | null,
  look: Look,
  { room, measure }: { room: Size; measure: CanvasRenderingContext2D | null },
): Pick<LabelFrame, 'labels' | 'boxes' | 'dots'> {
  const labels: Box[] = []
  const boxes = new Map<string, BoxedLabel>()
  if (drawn === null || measure === null) return { labels, boxes, dots: [] }
  const { sigma, graph } = drawn
  const dots = graph.order > DOTS_AVOIDED_MAX ? [] : graph.mapNodes((id) => squareAround(dotOf(sigma, id)))
  for (const id of boxedIds(look)) {
    const name = graph.getNodeAttribute(id, 'name')
    const given = { name, dot: dotOf(sigma, id), settings: sigma.getSettings() }
    const boxed = boxLabel(measure, given, { room, labels })
    boxes.set(id, boxed)
    labels.push(boxed.box)
  }
  return { labels, boxes, dots }
}

/** The place of a node's circle, in pixels. */
function dotOf(sigma: Sigma<NodeAttributes, EdgeAttributes>, id: string): Dot {
  const node = sigma.getNodeDisplayData(id)
  if (node === undefined) return { x: 0, y: 0, radius: 0 }
  return { ...sigma.framedGraphToViewport(node), radius: sigma.scaleSize(node.size) }
}

function squareAround({ x, y, radius }: Dot): Box {
  return { left: x - radius, top: y - radius, width: 2 * radius, height: 2 * radius }
}

/** The chosen node and the hovered one. */
function boxedIds({ focus, chosen }: Look): Set<string> {
  return new Set([chosen.id, focus].filter((id) => id !== null))
}

function zoom(camera: ReturnType<Sigma['getCamera']>, direction: 'in' | 'out' | 'all'): void {
  const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : ZOOM_MS
  if (direction === 'in') void camera.animatedZoom({ duration })
  else if (direction === 'out') void camera.animatedUnzoom({ duration })
  else void camera.animatedReset({ duration })
}

function programsFor(edges: number) {
  return edges > MANY_EDGES
    ? { nodeProgramClasses: { circle: NodePointProgram }, edgeProgramClasses: { line: EdgeLineProgram } }
    : {
        nodeProgramClasses: { circle: NodeCircleProgram },
        edgeProgramClasses: { line: EdgeRectangleProgram },
      }
}

/** The highlight: `focus` is the hovered node, else the chosen one. */
interface Look {
  scheme: ColorScheme
  focus: string | null
  neighbours: ReadonlyMap<string, ReadonlySet<string>>
  chosen: { id: string | null; related: ReadonlySet<string> }
}

const NOTHING_CHOSEN: Look['chosen'] = { id: null, related: new Set() }

function isNearFocus({ focus, neighbours, chosen }: Look, id: string): boolean {
  if (focus === null || id === focus) return true
  // The panel lists the strongest neighbors of the chosen node; the drawing highlights the same.
  if (focus === chosen.id && chosen.related.size > 0) return chosen.related.has(id)
  return neighbours.get(focus)?.has(id) === true
}

function lookOfNode(look: Look, id: string, data: NodeAttributes) {
  const { scheme, focus } = look
  const isNear = isNearFocus(look, id)
  return {
    ...data,
    color: isNear ? KINDS[kindOf({ type: data.kind, label: data.name })][scheme] : THEMES[scheme].faded,
    label: isNear ? data.name : null,
    zIndex: id === focus ? 2 : Number(isNear),
    highlighted: id === look.chosen.id,
    forceLabel: id === focus,
  }
}

function lookOfEdge(look: Look, ends: [string, string], data: EdgeAttributes) {
  const { scheme, focus } = look
  const isOfFocus = focus !== null && ends.includes(focus) && ends.every((id) => isNearFocus(look, id))
  return {
    ...data,
    color: isOfFocus ? THEMES[scheme].chosenEdge : THEMES[scheme].edge,
    hidden: focus !== null && !isOfFocus,
    zIndex: Number(isOfFocus),
  }
}

function graphOf(given: Parameters<typeof drawGraph>[1]): UndirectedGraph<NodeAttributes, EdgeAttributes> {
  const graph = new UndirectedGraph<NodeAttributes, EdgeAttributes>()
  const heaviest = given.nodes.reduce((most, { weight }) => Math.max(most, weight), 1)
  for (const [at, { id, label, type, weight }] of given.nodes.entries())
    graph.mergeNode(id, {
      id,
      x: given.positions[at * 2] ?? 0,
      y: given.positions[at * 2 + 1] ?? 0,
      size: radiusOf(weight, heaviest),
      name: label,
      kind: type,
    })
  for (const { source, target, weight } of given.edges)
    if (source !== target && graph.hasNode(source) && graph.hasNode(target))
      graph.mergeEdge(source, target, { size: Math.min(4, 0.6 + Math.log2(1 + weight) * 0.4) })
  return graph
}
