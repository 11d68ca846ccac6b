import { ROWS_A_BLOCK, SCALES_BYTES } from '../../src/vector-scan/block-layout.ts'
import { times } from './text.ts'

const WORD = 4
/** Bytes of a register: four 32-bit sums. */
const VECTOR = 16
/** Bytes of four rows' numbers in a pair of dimensions. */
const QUARTER = 8
/** Registers per iteration of the innermost loop; each holds four rows. */
const VECTORS_A_TURN = 4
/**
 * How many pairs each pass over the rows adds up: larger groups read several memory streams at once and load sums
 * less often.
 */
const GROUPS = [8, 4, 2, 1]
/**
 * A segment of a question: the offset of its unit among those of a block, the number of pairs that follow, and its
 * bound; then the pairs.
 */
const [PAIRS_AT, BOUND_AT, SEGMENT_HEAD] = [WORD, 2 * WORD, 3 * WORD]
/** A pair of a question: where it is in the unit, and its two 16-bit numbers. */
const PAIR = 2 * WORD

/** Iterates over a block's rows in groups; `$turns` counts them. */
function overRows(label: string, body: string): string {
  return `(local.set $turns (i32.const ${ROWS_A_BLOCK / 4 / VECTORS_A_TURN}))
    (loop $${label}
      ${body}
      (br_if $${label} (local.tee $turns (i32.sub (local.get $turns) (i32.const 1)))))`
}

/** Adds the products of the question's next pairs to the sums of the block's rows. */
function addPairs(size: number): string {
  const products = (vector: number): string =>
    Array.from({ length: size }, (_, pair) => pair).reduce(
      (sum, pair) => `(i32x4.add ${sum}
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=${vector * QUARTER} (local.get $pair${pair})) (local.get $numbers${pair})))`,
      `(v128.load offset=${vector * VECTOR} (local.get $sum))`,
    )
  return `${times(
    size,
    (
      pair,
    ) => `(local.set $pair${pair} (i32.add (local.get $unit) (i32.load offset=${pair * PAIR} (local.get $at))))
      (local.set $numbers${pair} (v128.load32_splat offset=${pair * PAIR + WORD} (local.get $at)))`,
  )}
    (local.set $sum (local.get $sums))
    ${overRows(
      `rows${size}`,
      `${times(VECTORS_A_TURN, (vector) => `(v128.store offset=${vector * VECTOR} (local.get $sum) ${products(vector)})`)}
      ${times(size, (pair) => `(local.set $pair${pair} (i32.add (local.get $pair${pair}) (i32.const ${VECTORS_A_TURN * QUARTER})))`)}
      (local.set $sum (i32.add (local.get $sum) (i32.const ${VECTORS_A_TURN * VECTOR})))`,
    )}
    (local.set $at (i32.add (local.get $at) (i32.const ${size * PAIR})))
    (local.set $pairs (i32.sub (local.get $pairs) (i32.const ${size})))`
}

/** Repeats while that many pairs are left. */
function addWhile(size: number): string {
  return `(block $no${size} (loop $next${size}
    (br_if $no${size} (i32.lt_u (local.get $pairs) (i32.const ${size})))
    ${addPairs(size)}
    (br $next${size})))`
}

/** Adds a segment's result, scaled per row, to the rows' totals; `$row` points to those of the block. */
function addSegment(): string {
  return `(local.set $sum (local.get $sums))
    (local.set $row (local.get $out))
    ${overRows(
      'scaled',
      `${times(
        VECTORS_A_TURN,
        (
          vector,
        ) => `(v128.store offset=${vector * VECTOR} (local.get $row) (f32x4.add (v128.load offset=${vector * VECTOR} (local.get $row))
          (f32x4.mul (v128.load offset=${vector * VECTOR} (local.get $scales))
            (f32x4.add (local.get $bound)
              (f32x4.mul (f32x4.splat (local.get $step)) (f32x4.convert_i32x4_s (v128.load offset=${vector * VECTOR} (local.get $sum))))))))`,
      )}
      ${['$sum', '$row', '$scales'].map((place) => `(local.set ${place} (i32.add (local.get ${place}) (i32.const ${VECTORS_A_TURN * VECTOR})))`).join('\n')}`,
    )}`
}

/**
 * `scan(units, count, stride, question, segments, step, slack, sums, out)` computes, for each row of `count` blocks, an
 * upper bound of its similarity to the question. `stride` is the size of a block's list of units. Sums of 16-bit products in 32 bits are exact; the bound covers
 * rounding.
 */
export function scanKernelText(): string {
  const [pairs = 1] = GROUPS
  return `(module
  (import "memory" "shared" (memory 1 65536 shared))
  (func (export "scan")
    (param $units i32) (param $count i32) (param $stride i32) (param $question i32) (param $segments i32)
    (param $step f32) (param $slack f32) (param $sums i32) (param $out i32)
    (local $end i32) (local $unit i32) (local $at i32) (local $segment i32) (local $pairs i32) (local $turns i32)
    (local $scales i32) (local $sum i32) (local $row i32) (local $bound v128)
    ${times(pairs, (pair) => `(local $pair${pair} i32) (local $numbers${pair} v128)`)}
    (local.set $end (i32.add (local.get $units) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next_block
      (br_if $done (i32.ge_u (local.get $units) (local.get $end)))
      (local.set $row (local.get $out))
      ${overRows(
        'empty',
        `${times(VECTORS_A_TURN, (vector) => `(v128.store offset=${vector * VECTOR} (local.get $row) (f32x4.splat (local.get $slack)))`)}
        (local.set $row (i32.add (local.get $row) (i32.const ${VECTORS_A_TURN * VECTOR})))`,
      )}
      (local.set $at (local.get $question))
      (local.set $segment (local.get $segments))
      (block $summed (loop $next_segment
        (br_if $summed (i32.eqz (local.get $segment)))
        (local.set $unit (i32.load (i32.add (local.get $units) (i32.load (local.get $at)))))
        (local.set $scales (local.get $unit))
        (local.set $pairs (i32.load offset=${PAIRS_AT} (local.get $at)))
        (local.set $bound (v128.load32_splat offset=${BOUND_AT} (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const ${SEGMENT_HEAD})))
        (memory.fill (local.get $sums) (i32.const 0) (i32.const ${SCALES_BYTES}))
        ${GROUPS.map(addWhile).join('\n')}
        ${addSegment()}
        (local.set $segment (i32.sub (local.get $segment) (i32.const 1)))
        (br $next_segment)))
      (local.set $out (i32.add (local.get $out) (i32.const ${ROWS_A_BLOCK * WORD})))
      (local.set $units (i32.add (local.get $units) (local.get $stride)))
      (br $next_block)))))
`
}
