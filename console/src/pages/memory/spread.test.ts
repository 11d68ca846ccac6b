import { expect, it } from 'vitest'
import { spread, stageOf } from './spread.ts'

it('separates nodes from each other and from labels', () => {
  const boxes = Array.from({ length: 60 }, (_, at) => ({
    radius: 4 + ((at * 7) % 13),
    label: 30 + ((at * 31) % 90),
  }))
  const positions = Float32Array.from({ length: 120 }, (_, at) => ((at * 37) % 101) / 101)
  spread(positions, boxes, { width: 880, height: 540 })
  const rects = boxes.map(({ radius, label }, at) => {
    const [x = 0, y = 0] = positions.subarray(at * 2, at * 2 + 2)
    const height = Math.max(radius * 2, 17)
    return { left: x - radius, right: x + radius + label, top: y - height / 2, bottom: y + height / 2 }
  })
  const covering = rects.flatMap((a, at) =>
    rects
      .slice(at + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
  )
  expect(covering).toEqual([])
  // A larger graph is drawn smaller, which brings its labels together again.
  const across = positions.filter((_, at) => at % 2 === 0)
  const down = positions.filter((_, at) => at % 2 === 1)
  expect(Math.max(...across) - Math.min(...across)).toBeCloseTo(880, 2)
  expect(Math.max(...down) - Math.min(...down)).toBeCloseTo(540, 2)
})

it('gives the graph the shape of the canvas, less the padding of its shorter side', () => {
  expect(stageOf({ width: 1000, height: 600 })).toEqual({ width: 800, height: 480 })
  expect(stageOf({ width: 500, height: 1000 })).toEqual({ width: 410, height: 820 })
})
