import { LANES } from '../../src/retrieval/products.ts'
import { times } from './text.ts'

/** Bytes of a register: four sums of 32 bits. */
const VECTOR = 16
/** Numbers in a register. */
const WIDTH = 4
const [SINGLE, HALF] = [4, 2]
/**
 * What of a half's 16 bits, after its sign was spread over the upper ones and all were moved up by 13, stays: as the bits of a 32-bit
 * number they are the half's value by 2^-112, denormal ones too, so that one exact product makes it.
 */
const HALF_BITS = '0x8fffe000'
const HALF_FACTOR = '0x1p112'

/** The products of four numbers, each exact in 32 bits, with those that lie `vector` registers further. */
function productsOf(vector: number): string {
  return `(f32x4.mul (v128.load offset=${vector * WIDTH * SINGLE} align=4 (local.get $factors))
          (f32x4.mul (v128.const f32x4 ${Array.from({ length: WIDTH }, () => HALF_FACTOR).join(' ')})
            (v128.and (v128.const i32x4 ${Array.from({ length: WIDTH }, () => HALF_BITS).join(' ')})
              (i32x4.shl (v128.load16x4_s offset=${vector * WIDTH * HALF} align=2 (local.get $halves)) (i32.const 13)))))`
}

/** Goes on by so many numbers, until the factors end. */
function next(numbers: number): string {
  return `(local.set $halves (i32.add (local.get $halves) (i32.const ${numbers * HALF})))
      (br_if $more (i32.lt_u
        (local.tee $factors (i32.add (local.get $factors) (i32.const ${numbers * SINGLE})))
        (local.get $end)))`
}

/** Adds up in one sum, one product after the other. */
function oneLane(): string {
  return `(func (export "products1") (param $factors i32) (param $halves i32) (param $end i32) (param $sums i32)
    (local $sum f32) (local $products v128)
    (loop $more
      (local.set $products ${productsOf(0)})
      ${times(WIDTH, (lane) => `(local.set $sum (f32.add (local.get $sum) (f32x4.extract_lane ${lane} (local.get $products))))`)}
      ${next(WIDTH)})
    (f32.store (local.get $sums) (local.get $sum)))`
}

/** Adds up in so many sums, a multiple of {@link WIDTH}. */
function manyLanes(lanes: number): string {
  const vectors = lanes / WIDTH
  return `(func (export "products${lanes}") (param $factors i32) (param $halves i32) (param $end i32) (param $sums i32)
    ${times(vectors, (vector) => `(local $sum${vector} v128)`)}
    (loop $more
      ${times(vectors, (vector) => `(local.set $sum${vector} (f32x4.add (local.get $sum${vector}) ${productsOf(vector)}))`)}
      ${next(lanes)})
    ${times(vectors, (vector) => `(v128.store offset=${vector * VECTOR} (local.get $sums) (local.get $sum${vector}))`)})`
}

/**
 * `productsN(factors, halves, end, sums)`: the products of 32-bit numbers from `factors` up to `end` with as many halves, added up in
 * N sums as they come in turn. At least one register of them, and of more than four lanes as many as there are lanes.
 */
export function productsKernelText(): string {
  return `(module
  (import "memory" "shared" (memory 1 1 shared))
  ${LANES.map((lanes) => (lanes === 1 ? oneLane() : manyLanes(lanes))).join('\n')})
`
}
