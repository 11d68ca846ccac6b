import { UndirectedGraph } from 'graphology'
import { Sigma } from 'sigma'
import {
  EdgeLineProgram,
  EdgeRectangleProgram,
  NodeCircleProgram,
  type NodeHoverDrawingFunction,
  type NodeLabelDrawingFunction,
  NodePointProgram,
} from 'sigma/rendering'
import { type CanvasEdge, type CanvasNode, type ColorScheme, KINDS, kindOf, radiusOf } from './kinds.ts'
import { neighboursOf } from './rows.ts'

/** Controls a graph after it is drawn. */
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
const THEMES = {
  light: {
    label: '#23262d',
    edge: '#d4d7de',
    chosenEdge: '#8b91a0',
    faded: '#e4e6eb',
    box: '#ffffff',
    ground: '#ffffff',
    line: '#c9ccd4',
  },
  dark: {
    label: '#e7e9ee',
    edge: '#363942',
    chosenEdge: '#7c8394',
    faded: '#2c2f36',
    box: '#25272d',
    ground: '#1a1b1f',
    line: '#4a4e59',
  },
} as const

/**
 * Draws a graph into an element that has a size.
 * @param positions x and y of each node, interleaved
 * @throws Error if the browser has no WebGL
 */
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
  const taken: LabelBox[] = []
  const sigma = new Sigma<NodeAttributes, EdgeAttributes>(graph, container, {
    ...SETTINGS,
    // Room for labels at the edges.
    stagePadding: Math.min(80, container.clientWidth * 0.09),
    hideEdgesOnMove: given.edges.length > EDGES_MOVED_MAX,
    ...programsFor(given.edges.length),
    labelFont: getComputedStyle(container).fontFamily,
    defaultDrawNodeLabel: (...drawn) => drawLabel(look.scheme, taken, ...drawn),
    defaultDrawNodeHover: (...drawn) => drawLabelBox(look.scheme, ...drawn),
    nodeReducer: (id, data) => lookOfNode(look, id, data),
    edgeReducer: (id, data) => lookOfEdge(look, graph.extremities(id), data),
  })
  const redraw = (): void => {
    sigma.refresh({ skipIndexation: true })
  }
  const pointAt = (id: string | null): void => {
    look.focus = id ?? look.chosen.id
    container.style.cursor = id === null ? '' : 'pointer'
    redraw()
  }
  const setScheme = (scheme: ColorScheme): void => {
    look.scheme = scheme
    sigma.setSetting('labelColor', { color: THEMES[scheme].label })
    redraw()
  }
  sigma.on('beforeRender', () => {
    taken.length = 0
  })
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
  if (focus === null || id === focus || neighbours.get(focus)?.has(id)) return true
  return focus === chosen.id && chosen.related.has(id)
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

function lookOfEdge({ scheme, focus }: Look, ends: [string, string], data: EdgeAttributes) {
  const isOfFocus = focus !== null && ends.includes(focus)
  return {
    ...data,
    color: isOfFocus ? THEMES[scheme].chosenEdge : THEMES[scheme].edge,
    hidden: focus !== null && !isOfFocus,
    zIndex: Number(isOfFocus),
  }
}

interface NodeAttributes {
  x: number
  y: number
  size: number
  name: string
  kind: CanvasNode['type']
}

interface EdgeAttributes {
  size: number
}

function graphOf(given: Parameters<typeof drawGraph>[1]): UndirectedGraph<NodeAttributes, EdgeAttributes> {
  const graph = new UndirectedGraph<NodeAttributes, EdgeAttributes>()
  const heaviest = given.nodes.reduce((most, { weight }) => Math.max(most, weight), 1)
  for (const [at, { id, label, type, weight }] of given.nodes.entries())
    graph.mergeNode(id, {
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

/** The position of a drawn label, in pixels. */
interface LabelBox {
  left: number
  top: number
  width: number
  height: number
}

const LABEL_GAP = 3

/**
 * Draws a label with an outline in the background color, so that it stays readable over lines.
 * It uses the first free side of the node, and is skipped if there is none.
 */
function drawLabel(
  scheme: ColorScheme,
  taken: LabelBox[],
  ...[context, { label, x, y, size }, settings]: Parameters<
    NodeLabelDrawingFunction<NodeAttributes, EdgeAttributes>
  >
): void {
  if (typeof label !== 'string') return
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const box = { width: context.measureText(label).width, height: settings.labelSize + 2 }
  const away = size + LABEL_GAP
  const room = context.canvas.clientWidth
  const middle = Math.max(0, Math.min(x - box.width / 2, room - box.width))
  const places: LabelBox[] = [
    { ...box, left: x + away, top: y - box.height / 2 },
    { ...box, left: x - away - box.width, top: y - box.height / 2 },
    { ...box, left: middle, top: y + away },
    { ...box, left: middle, top: y - away - box.height },
  ]
  const isFree = (one: LabelBox): boolean => !taken.some((other) => overlaps(one, other))
  const isWhole = ({ left, width }: LabelBox): boolean => left >= 0 && left + width <= room
  const place = places.find((one) => isWhole(one) && isFree(one))
  if (place === undefined) return
  taken.push(place)
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = THEMES[scheme].ground
  context.fillStyle = THEMES[scheme].label
  const at = [place.left, place.top + settings.labelSize - 1] as const
  context.strokeText(label, ...at)
  context.fillText(label, ...at)
}

function overlaps(one: LabelBox, other: LabelBox): boolean {
  return (
    one.left < other.left + other.width + LABEL_GAP &&
    other.left < one.left + one.width + LABEL_GAP &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  )
}

/** Draws the hovered node's label in a box, so that it stays readable over others. */
function drawLabelBox(
  scheme: ColorScheme,
  ...[context, data, settings]: Parameters<NodeHoverDrawingFunction<NodeAttributes, EdgeAttributes>>
): void {
  const { label, x, y, size } = data
  context.strokeStyle = THEMES[scheme].label
  context.lineWidth = 2
  context.beginPath()
  context.arc(x, y, size + 2.5, 0, Math.PI * 2)
  context.stroke()
  if (typeof label !== 'string') return
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`
  const width = context.measureText(label).width + 12
  const height = settings.labelSize + 10
  const right = x + size + 6
  const left = right + width <= context.canvas.clientWidth ? right : x - size - 6 - width
  context.fillStyle = THEMES[scheme].box
  context.strokeStyle = THEMES[scheme].line
  context.lineWidth = 1
  context.beginPath()
  context.roundRect(left, y - height / 2, width, height, 5)
  context.fill()
  context.stroke()
  context.fillStyle = THEMES[scheme].label
  context.fillText(label, left + 6, y + settings.labelSize / 3)
}
