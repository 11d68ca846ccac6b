import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Box, fitLabel, labelWidthMax, overlaps, placeBox, placeLabel } from './place-labels.ts'

const room = { width: 320, height: 200 }
const dot = fc.record({
  x: fc.integer({ min: -20, max: 340 }),
  y: fc.integer({ min: -20, max: 220 }),
  radius: fc.integer({ min: 3, max: 17 }),
})
const size = fc.record({ width: fc.integer({ min: 10, max: 320 }), height: fc.constant(14) })

const isInRoom = ({ left, top, width, height }: Box): boolean =>
  left >= 0 && top >= 0 && left + width <= room.width && top + height <= room.height

describe('the labels of a graph', () => {
  it('never leave the canvas and never overlap, wherever their nodes are', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(dot, size), { maxLength: 40 }), (nodes) => {
        const labels: Box[] = []
        for (const [node, label] of nodes) {
          const place = placeLabel(node, label, { room, labels, dots: [] })
          if (place === undefined) continue
          expect(isInRoom(place)).toBe(true)
          expect(labels.some((other) => overlaps(place, other))).toBe(false)
          labels.push(place)
        }
      }),
    )
  })

  it('cover no node on a phone, where most nodes would be hidden', () => {
    const node = { x: 100, y: 100, radius: 5 }
    const everywhere = [{ left: 0, top: 0, width: 320, height: 200 }]
    const label = { width: 60, height: 14 }
    expect(placeLabel(node, label, { room, labels: [], dots: everywhere })).toBeUndefined()
    const wide = { width: 900, height: 200 }
    expect(placeLabel(node, label, { room: wide, labels: [], dots: everywhere })).toBeDefined()
  })

  it('of the chosen and the hovered node are always drawn, within the canvas', () => {
    fc.assert(
      fc.property(dot, size, (node, label) => {
        expect(isInRoom(placeBox(node, label, { room, labels: [] }))).toBe(true)
      }),
    )
  })

  it('of the chosen and the hovered node do not cover the node itself at an edge', () => {
    const label = { width: 60, height: 22 }
    for (const [x, y] of [
      [314, 100],
      [6, 100],
      [160, 6],
      [314, 194],
    ] as const) {
      const itself = { left: x - 5, top: y - 5, width: 10, height: 10 }
      expect(overlaps(placeBox({ x, y, radius: 5 }, label, { room, labels: [] }), itself)).toBe(false)
    }
  })

  it('of both do not cover each other where there is a free side', () => {
    const label = { width: 60, height: 22 }
    const first = placeBox({ x: 100, y: 100, radius: 5 }, label, { room, labels: [] })
    const second = placeBox({ x: 110, y: 100, radius: 5 }, label, { room, labels: [first] })
    expect(overlaps(first, second)).toBe(false)
  })

  it('are cut when they are wider than the canvas, or would cover the names around them', () => {
    expect(labelWidthMax({ width: 200, height: 200 })).toBe(200)
    expect(labelWidthMax({ width: 900, height: 600 })).toBe(260)
    const widthOf = (text: string): number => text.length * 10
    expect(fitLabel('short', 100, widthOf)).toBe('short')
    expect(fitLabel('a very long name', 100, widthOf)).toBe('a very lo…')
  })
})
