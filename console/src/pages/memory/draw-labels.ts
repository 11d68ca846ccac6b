import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering'
import type { CanvasNode, ColorScheme } from './kinds.ts'
import {
  type Box,
  type Dot,
  fitLabel,
  labelWidthMax,
  placeBox,
  placeLabel,
  type Size,
} from './place-labels.ts'

export interface NodeAttributes {
  id: string
  x: number
  y: number
  size: number
  name: string
  kind: CanvasNode['type']
  highlighted?: boolean
  forceLabel?: boolean
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

export interface LabelFrame {
  scheme: ColorScheme
  /** The labels drawn so far. */
  labels: Box[]
  /** The boxed labels of the hovered and the chosen node, by ID. */
  boxes: ReadonlyMap<string, BoxedLabel>
  dots: readonly Box[]
  room: Size
}

export interface BoxedLabel {
  text: string
  box: Box
}

type Context = Parameters<NodeLabelDrawingFunction>[0]
type Settings = Pick<Parameters<NodeLabelDrawingFunction>[2], 'labelWeight' | 'labelSize' | 'labelFont'>

const BOX_PADDING = { across: 6, down: 5 }

/**
 * Draws a label with an outline in the background color, so that it stays readable over lines. Labels without a free
 * place are skipped; those of the hovered and the chosen node are drawn in boxes.
 */
export function drawLabel(
  { scheme, labels, dots, room }: LabelFrame,
  ...[context, data, settings]: Parameters<NodeLabelDrawingFunction<NodeAttributes, EdgeAttributes>>
): void {
  const { label, x, y, size: radius, highlighted, forceLabel } = data
  if (typeof label !== 'string' || highlighted === true || forceLabel === true) return
  context.font = fontOf(settings)
  const widthOf = (text: string): number => context.measureText(text).width
  const text = fitLabel(label, labelWidthMax(room), widthOf)
  const size = { width: widthOf(text), height: settings.labelSize + 2 }
  const place = placeLabel({ x, y, radius }, size, { room, labels, dots })
  if (place === undefined) return
  labels.push(place)
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = THEMES[scheme].ground
  context.fillStyle = THEMES[scheme].label
  const at = [place.left, place.top + settings.labelSize - 1] as const
  context.strokeText(text, ...at)
  context.fillText(text, ...at)
}

const fontOf = ({ labelWeight, labelSize, labelFont }: Settings): string =>
  `${labelWeight} ${labelSize}px ${labelFont}`
const boxFontOf = (settings: Settings): string => fontOf({ ...settings, labelWeight: '600' })

export function boxLabel(
  context: Pick<Context, 'font' | 'measureText'>,
  { name, dot, settings }: { name: string; dot: Dot; settings: Settings },
  { room, labels }: { room: Size; labels: readonly Box[] },
): BoxedLabel {
  context.font = boxFontOf(settings)
  const widthOf = (text: string): number => context.measureText(text).width
  const text = fitLabel(name, room.width - 2 * BOX_PADDING.across, widthOf)
  const size = {
    width: widthOf(text) + 2 * BOX_PADDING.across,
    height: settings.labelSize + 2 * BOX_PADDING.down,
  }
  return { text, box: placeBox(dot, size, { room, labels }) }
}

/** Draws the label of the hovered or the chosen node in its box, so that it stays readable over nodes and lines. */
export function drawLabelBox(
  { scheme, boxes }: LabelFrame,
  ...[context, data, settings]: Parameters<NodeHoverDrawingFunction<NodeAttributes, EdgeAttributes>>
): void {
  context.strokeStyle = THEMES[scheme].label
  context.lineWidth = 2
  context.beginPath()
  context.arc(data.x, data.y, data.size + 2.5, 0, Math.PI * 2)
  context.stroke()
  const boxed = boxes.get(data.id)
  if (boxed === undefined) return
  const { left, top, width, height } = boxed.box
  context.font = boxFontOf(settings)
  context.fillStyle = THEMES[scheme].box
  context.strokeStyle = THEMES[scheme].line
  context.lineWidth = 1
  context.beginPath()
  context.roundRect(left, top, width, height, 5)
  context.fill()
  context.stroke()
  context.fillStyle = THEMES[scheme].label
  context.fillText(boxed.text, left + BOX_PADDING.across, top + height / 2 + settings.labelSize / 3)
}
