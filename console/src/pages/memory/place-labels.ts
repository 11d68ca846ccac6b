/** A place in the graph, in pixels. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface Size {
  width: number
  height: number
}

/** A node's circle, by its middle. */
export interface Dot {
  x: number
  y: number
  radius: number
}

/** The distance between two labels, and between a node and its label. */
export const LABEL_GAP = 3

/** In a narrower room, labels that cover nodes would hide most of them. */
const DENSE_WIDTH = 600

/** The place of a label beside its node, free of labels and, if the room is wide, of nodes. */
export function placeLabel(
  dot: Dot,
  label: Size,
  { room, labels, dots }: { room: Size; labels: readonly Box[]; dots: readonly Box[] },
): Box | undefined {
  const free = placesOf(dot, label, room).filter((one) => isWithin(one, room) && isFreeOf(labels, one))
  return free.find((one) => isFreeOf(dots, one)) ?? (room.width < DENSE_WIDTH ? undefined : free[0])
}

/** The same for a label that is always drawn: it moves into the room, and covers others only if no side is free. */
export function placeBox(
  dot: Dot,
  label: Size,
  { room, labels }: { room: Size; labels: readonly Box[] },
): Box {
  const beside = placesOf(dot, label, room)
  // A place that was moved into the room can cover the node itself.
  const places = [...beside.filter((one) => isWithin(one, room)), ...beside.map((one) => moveInto(one, room))]
  return places.find((one) => isFreeOf(labels, one)) ?? places[0] ?? { ...label, left: 0, top: 0 }
}

/** Right, left, below and above. */
function placesOf({ x, y, radius }: Dot, { width, height }: Size, room: Size): Box[] {
  const away = radius + LABEL_GAP
  const middle = Math.max(0, Math.min(x - width / 2, room.width - width))
  return [
    { left: x + away, top: y - height / 2, width, height },
    { left: x - away - width, top: y - height / 2, width, height },
    { left: middle, top: y + away, width, height },
    { left: middle, top: y - away - height, width, height },
  ]
}

function moveInto(box: Box, room: Size): Box {
  return {
    ...box,
    left: Math.max(0, Math.min(box.left, room.width - box.width)),
    top: Math.max(0, Math.min(box.top, room.height - box.height)),
  }
}

function isWithin({ left, top, width, height }: Box, room: Size): boolean {
  return left >= 0 && top >= 0 && left + width <= room.width && top + height <= room.height
}

function isFreeOf(others: readonly Box[], one: Box): boolean {
  return !others.some((other) => overlaps(one, other))
}

export function overlaps(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width + LABEL_GAP &&
    other.left < one.left + one.width + LABEL_GAP &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  )
}

/** Of a node that is neither hovered nor chosen: longer names would hide those around them. */
const LABEL_WIDTH_MAX = 260

export function labelWidthMax(room: Size): number {
  return Math.min(room.width, LABEL_WIDTH_MAX)
}

/** A label that is no wider than this, cut with an ellipsis if it must be. */
export function fitLabel(label: string, widthMax: number, widthOf: (text: string) => number): string {
  if (widthOf(label) <= widthMax) return label
  const letters = [...label]
  let [fits, tooLong] = [0, letters.length]
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (widthOf(`${letters.slice(0, middle).join('')}…`) <= widthMax) fits = middle
    else tooLong = middle
  }
  return `${letters.slice(0, fits).join('')}…`
}
