/** The space of a node at zoom 1, in pixels: a circle with its label to the right. */
export interface NodeBox {
  radius: number
  label: number
}

/** The size of the graph, in pixels. */
export interface Stage {
  width: number
  height: number
}

const LABEL_HEIGHT = 17
const GAP = 6
const ROUNDS = 200
/** Nodes that were pushed out of the stage come back in with each, and all are pushed apart again. */
const PASSES = 6

/** Moves nodes apart until no boxes overlap, as far as the stage has room. Mutates `positions`. */
export function spread(positions: Float32Array, boxes: readonly NodeBox[], stage: Stage): void {
  for (let pass = 0; pass < PASSES; pass++) {
    fitStage(positions, stage)
    for (let round = 0; round < ROUNDS; round++) if (!pushApart(positions, boxes)) break
  }
  fitStage(positions, stage)
}

/** The room for labels at the edges of a canvas of this width, in pixels. */
export function paddingOf(width: number): number {
  return Math.min(60, width * 0.09)
}

/**
 * The area of a canvas that Sigma fills: padding is relative to the shorter side, and the graph has the canvas's
 * shape.
 */
export function stageOf({ width, height }: Stage): Stage {
  const shorter = Math.min(width, height)
  const scale = Math.max(1, shorter - 2 * paddingOf(width)) / Math.max(1, shorter)
  return { width: width * scale, height: height * scale }
}

function fitStage(positions: Float32Array, { width, height }: Stage): void {
  for (const [axis, size] of [width, height].entries()) {
    let [least, most] = [Infinity, -Infinity]
    for (let at = axis; at < positions.length; at += 2) {
      const place = positions[at] ?? 0
      least = Math.min(least, place)
      most = Math.max(most, place)
    }
    const scale = most > least ? size / (most - least) : 1
    for (let at = axis; at < positions.length; at += 2)
      positions[at] = ((positions[at] ?? 0) - (least + most) / 2) * scale
  }
}

/** @returns whether any two nodes overlapped */
function pushApart(positions: Float32Array, boxes: readonly NodeBox[]): boolean {
  let hasPushed = false
  for (const [one, box] of boxes.entries())
    for (let other = one + 1; other < boxes.length; other++)
      if (pushPair(positions, [one, box], [other, boxes[other] ?? box])) hasPushed = true
  return hasPushed
}

function pushPair(
  positions: Float32Array,
  [one, a]: readonly [number, NodeBox],
  [other, b]: readonly [number, NodeBox],
): boolean {
  const across = (positions[other * 2] ?? 0) + middleOf(b) - (positions[one * 2] ?? 0) - middleOf(a)
  const down = (positions[other * 2 + 1] ?? 0) - (positions[one * 2 + 1] ?? 0)
  const tooWide = (widthOf(a) + widthOf(b)) / 2 + GAP - Math.abs(across)
  const tooHigh = (heightOf(a) + heightOf(b)) / 2 + GAP - Math.abs(down)
  if (tooWide <= 0 || tooHigh <= 0) return false
  // Pushes along the axis with less overlap. Deterministic even for nodes at the same position.
  const [axis, push] = tooHigh <= tooWide ? [1, signed(tooHigh, down)] : [0, signed(tooWide, across)]
  positions[one * 2 + axis] = (positions[one * 2 + axis] ?? 0) - push / 2
  positions[other * 2 + axis] = (positions[other * 2 + axis] ?? 0) + push / 2
  return true
}

const signed = (size: number, direction: number): number => (direction < 0 ? -size : size)
const widthOf = ({ radius, label }: NodeBox): number => radius * 2 + label
const heightOf = ({ radius }: NodeBox): number => Math.max(radius * 2, LABEL_HEIGHT)
/** The horizontal offset of the box's center from its node. */
const middleOf = ({ label }: NodeBox): number => label / 2
