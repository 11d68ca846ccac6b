import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering'
import type { CanvasNode, ColorScheme } from './kinds.ts'

export interface NodeAttributes {
  x: number
  y: number
  size: number
  name: string
  kind: CanvasNode['type']
}

export interface EdgeAttributes {
  size: number
}

export const THEMES = {
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

/** A place in the graph, in pixels. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface LabelFrame {
  scheme: ColorScheme
  /** The labels drawn so far. */
  labels: Box[]
  /** The nodes. */
  dots: readonly Box[]
  /** The width of the graph. */
  room: number
}

const LABEL_GAP = 3

/**
 * Draws a label with an outline in the background color, so that it stays readable over lines.
 * It uses a side of the node that is free of labels, if possible also of nodes, and is skipped if there is none.
 */
export function drawLabel(
  { scheme, labels, dots, room }: LabelFrame,
  ...[context, { label, x, y, size }, settings]: Parameters<
    NodeLabelDrawingFunction<NodeAttributes, EdgeAttributes>
  >
): void {
  if (typeof label !== 'string') return
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const box = { width: context.measureText(label).width, height: settings.labelSize + 2 }
  const away = size + LABEL_GAP
  const middle = Math.max(0, Math.min(x - box.width / 2, room - box.width))
  const places: Box[] = [
    { ...box, left: x + away, top: y - box.height / 2 },
    { ...box, left: x - away - box.width, top: y - box.height / 2 },
    { ...box, left: middle, top: y + away },
    { ...box, left: middle, top: y - away - box.height },
  ]
  const isFreeOf = (others: readonly Box[], one: Box): boolean =>
    !others.some((other) => overlaps(one, other))
  const isWhole = ({ left, width }: Box): boolean => left >= 0 && left + width <= room
  const free = places.filter((one) => isWhole(one) && isFreeOf(labels, one))
  const place = free.find((one) => isFreeOf(dots, one)) ?? free[0]
  if (place === undefined) return
  labels.push(place)
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = THEMES[scheme].ground
  context.fillStyle = THEMES[scheme].label
  const at = [place.left, place.top + settings.labelSize - 1] as const
  context.strokeText(label, ...at)
  context.fillText(label, ...at)
}

function overlaps(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width + LABEL_GAP &&
    other.left < one.left + one.width + LABEL_GAP &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  )
}

/** Draws the hovered node's label in a box, so that it stays readable over others. */
export function drawLabelBox(
  { scheme, room }: LabelFrame,
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
  const left = right + width <= room ? right : x - size - 6 - width
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
