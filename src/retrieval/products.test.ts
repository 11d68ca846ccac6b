import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildKernel } from '../../scripts/kernels/build.ts'
import { productsKernelText } from '../../scripts/kernels/products.ts'
import { Factors, LANES } from './products.ts'

/** Any half: a zero of either sign, one too small to be normal, or one of a vector. */
const half = fc.oneof(
  fc.constantFrom(0, -0, 2 ** -24, -(2 ** -24), 3 * 2 ** -16, 65_504),
  fc.double({ min: -1, max: 1, noNaN: true }),
)
const halves = (length: number) =>
  fc.array(half, { minLength: length, maxLength: length }).map((values) => new Float16Array(values))

const pair = fc.integer({ min: 1, max: 150 }).chain((length) => fc.tuple(halves(length), halves(length)))

describe('products of halves', () => {
  it('are added up in 32 bits, in turn in each lane, from any number to any other', () => {
    fc.assert(
      fc.property(
        pair,
        fc.constantFrom(...LANES),
        fc.nat(149),
        fc.nat(150),
        ([one, other], lanes, at, most) => {
          const from = at % one.length
          const length = Math.min(most, one.length - from)
          const { sums, count } = new Factors(one).with(other, { from, length, lanes })
          expect(count).toBe(length - (length % Math.max(lanes, 4)))
          const expected = new Float32Array(lanes)
          for (let index = 0; index < count; index++)
            expected[index % lanes] =
              (expected[index % lanes] ?? 0) + (one[from + index] ?? 0) * (other[from + index] ?? 0)
          expect([...sums].map((sum) => sum + 0)).toEqual([...expected].map((sum) => sum + 0))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('are those of the vector that is asked, whichever was before', () => {
    const filled = (value: number): Float16Array => new Float16Array(8).fill(value)
    const part = { from: 0, length: 8, lanes: 8 } as const
    const [first, second] = [new Factors(filled(1)), new Factors(filled(2))]
    const sum = (factors: Factors): number | undefined => factors.with(filled(3), part).sums[0]
    expect([sum(first), sum(second), sum(first)]).toEqual([3, 6, 3])
  })

  it('are made by the kernel that the script makes', async () => {
    const checkedIn = readFileSync(new URL('./products.wasm', import.meta.url))
    expect(checkedIn.equals(await buildKernel(productsKernelText()))).toBe(true)
  })
})
