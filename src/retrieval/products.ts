import { readFileSync } from 'node:fs'
import { DIMENSIONS_MAX } from '../vector-memory/index.ts'

/** In how many sums products can be added up here. */
export const LANES = [1, 4, 8, 16, 32] as const
export type Lanes = (typeof LANES)[number]

/** What the kernel takes in one go at least. */
const WIDTH = 4
const [SINGLE_BYTES, HALF_BYTES] = [4, 2]

/** The products of 32-bit numbers up to the address `end` with halves, added up in turn in as many sums as it has lanes. */
type Kernel = (factors: number, halves: number, end: number, sums: number) => void

/** Addresses of what a kernel reads and writes. */
const FACTORS = 0
const HALVES = FACTORS + DIMENSIONS_MAX * SINGLE_BYTES
const SUMS = HALVES + DIMENSIONS_MAX * HALF_BYTES

/** The room in which the kernels work, which is this thread's alone. */
interface Room {
  kernels: Record<Lanes, { run: Kernel; sums: Float32Array }>
  factors: Float32Array
  halves: Float16Array
  /** Whose numbers `factors` are. */
  holds: Factors | null
}

let room: Room | undefined

/** A vector whose numbers are multiplied with others'. */
export class Factors {
  readonly #values: Float16Array

  /** @param values at most {@link DIMENSIONS_MAX} */
  constructor(values: Float16Array) {
    if (values.length > DIMENSIONS_MAX)
      throw new Error(`vectors of more than ${DIMENSIONS_MAX} numbers are not multiplied here`)
    this.#values = values
  }

  /**
   * Adds up products with another vector's numbers, `length` of them from `from` on, as they come in turn to one of as many 32-bit sums
   * as there are lanes; the product of two halves is exact in 32 bits.
   * @returns the sums, which the next call overwrites, and how many of the numbers are in them: what is left is less than one round
   */
  with(
    other: Float16Array,
    { from, length, lanes }: { from: number; length: number; lanes: Lanes },
  ): { sums: Float32Array; count: number } {
    room ??= createRoom()
    const { factors, halves } = room
    const { run, sums } = room.kernels[lanes]
    const count = length - (length % Math.max(lanes, WIDTH))
    if (count === 0) return { sums: sums.fill(0), count }
    if (room.holds !== this) {
      factors.set(this.#values)
      room.holds = this
    }
    halves.set(other)
    const first = FACTORS + from * SINGLE_BYTES
    run(first, HALVES + from * HALF_BYTES, first + count * SINGLE_BYTES, SUMS)
    return { sums, count }
  }
}

function createRoom(): Room {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
  const module = new WebAssembly.Module(readFileSync(new URL('./products.wasm', import.meta.url)))
  const { exports } = new WebAssembly.Instance(module, { memory: { shared: memory } })
  const kernel = (lanes: Lanes): { run: Kernel; sums: Float32Array } => {
    const products = exports[`products${lanes}`]
    if (typeof products !== 'function') throw new Error(`the kernel has no products of ${lanes} lanes`)
    return { run: (...given) => void products(...given), sums: new Float32Array(memory.buffer, SUMS, lanes) }
  }
  return {
    kernels: { 1: kernel(1), 4: kernel(4), 8: kernel(8), 16: kernel(16), 32: kernel(32) },
    factors: new Float32Array(memory.buffer, FACTORS, DIMENSIONS_MAX),
    halves: new Float16Array(memory.buffer, HALVES, DIMENSIONS_MAX),
    holds: null,
  }
}
