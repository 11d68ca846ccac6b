import { writeFile } from 'node:fs/promises'
import wabt from 'wabt'
import { PAIR_BYTES, ROWS_A_BLOCK, SCALES_BYTES } from '../src/vector-memory/block-layout.ts'

/*
 * Writes src/vector-memory/scan.wasm: node scripts/build-scan-kernel.ts
 * The kernel in WebAssembly's text, unrolled over the rows of a block; a test compares what is checked in with it.
 */

/** Rows whose sums are in one register. */
const LANES = 4
const VECTORS = ROWS_A_BLOCK / LANES
const WORD = 4
/** A segment of a question: where its scales are in a block, how many pairs follow, and its bound; then the pairs. */
const SEGMENT_HEAD = 3 * WORD
/** A pair of a question: where it is in a block, and its two 16-bit numbers. */
const PAIR = 2 * WORD

function perVector(line: (index: number) => string): string {
  return Array.from({ length: VECTORS }, (_, index) => line(index)).join('\n')
}

/**
 * `scan(blocks, count, question, segments, step, slack, out)`: for each block of the list, for each row, the most that its
 * similarity to the question can be. Sums are of 16-bit products in 32 bits, so they are exact; what was rounded away is in the
 * bound.
 */
export function kernelText(): string {
  return `(module
  (import "memory" "shared" (memory 1 65536 shared))
  (func (export "scan")
    (param $blocks i32) (param $count i32) (param $question i32) (param $segments i32)
    (param $step f32) (param $slack f32) (param $out i32)
    (local $end i32) (local $block i32) (local $at i32) (local $segment i32) (local $pairs i32) (local $pair i32)
    (local $scales i32) (local $numbers v128) (local $bound v128)
    ${perVector((n) => `(local $sum${n} v128)`)}
    (local.set $end (i32.add (local.get $blocks) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
    (loop $next_block
      (br_if $done (i32.ge_u (local.get $blocks) (local.get $end)))
      (local.set $block (i32.load (local.get $blocks)))
      ${perVector((n) => `(v128.store offset=${n * 16} (local.get $out) (f32x4.splat (local.get $slack)))`)}
      (local.set $at (local.get $question))
      (local.set $segment (local.get $segments))
      (block $summed
      (loop $next_segment
        (br_if $summed (i32.eqz (local.get $segment)))
        (local.set $scales (i32.add (local.get $block) (i32.load (local.get $at))))
        (local.set $pairs (i32.load offset=${WORD} (local.get $at)))
        (local.set $bound (v128.load32_splat offset=${2 * WORD} (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const ${SEGMENT_HEAD})))
        ${perVector((n) => `(local.set $sum${n} (v128.const i32x4 0 0 0 0))`)}
        (loop $next_pair
          (local.set $pair (i32.add (local.get $block) (i32.load (local.get $at))))
          (local.set $numbers (v128.load32_splat offset=${WORD} (local.get $at)))
          ${perVector(
            (n) => `(local.set $sum${n} (i32x4.add (local.get $sum${n})
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=${(n * PAIR_BYTES) / VECTORS} (local.get $pair)) (local.get $numbers))))`,
          )}
          (local.set $at (i32.add (local.get $at) (i32.const ${PAIR})))
          (br_if $next_pair (local.tee $pairs (i32.sub (local.get $pairs) (i32.const 1)))))
        ${perVector(
          (
            n,
          ) => `(v128.store offset=${n * 16} (local.get $out) (f32x4.add (v128.load offset=${n * 16} (local.get $out))
          (f32x4.mul (v128.load offset=${(n * SCALES_BYTES) / VECTORS} (local.get $scales))
            (f32x4.add (local.get $bound)
              (f32x4.mul (f32x4.splat (local.get $step)) (f32x4.convert_i32x4_s (local.get $sum${n})))))))`,
        )}
        (local.set $segment (i32.sub (local.get $segment) (i32.const 1)))
        (br $next_segment)))
      (local.set $out (i32.add (local.get $out) (i32.const ${ROWS_A_BLOCK * WORD})))
      (local.set $blocks (i32.add (local.get $blocks) (i32.const ${WORD})))
      (br $next_block)))))
`
}

/** The kernel as WebAssembly. */
export async function buildKernel(): Promise<Uint8Array> {
  const { parseWat } = await wabt()
  const module = parseWat('scan.wat', kernelText(), { simd: true, threads: true })
  try {
    return module.toBinary({}).buffer
  } finally {
    module.destroy()
  }
}

if (import.meta.main)
  await writeFile(new URL('../src/vector-memory/scan.wasm', import.meta.url), await buildKernel())
