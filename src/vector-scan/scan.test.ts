import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../kernel/seeded-random.ts'
import { buildKernel } from '../../scripts/kernels/build.ts'
import { scanKernelText } from '../../scripts/kernels/scan.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { ROWS_A_BLOCK, segmentsOf, UNIT_BYTES } from './block-layout.ts'
import { quantizeQuery } from './quantized-query.ts'
import { NO_ITEM } from './row-table.ts'
import { createScan, greatestCosines, mergeScanned, type ScannedRows, type ScanJob } from './scan.ts'
import { addressOf, createSharedMemory, memoryOf, roomOf } from './shared-memory.ts'
import { KEY_BYTES, rowBytesOf, writeRows } from './write-rows.ts'

/**
 * The distribution of a vector's numbers: like a dense model, like the built-in one, or a few large ones among small
 * ones.
 */
type Shape = 'dense' | 'sparse' | 'uneven'

function vectorOf(random: () => number, dimensions: number, shape: Shape): Float32Array {
  return Float32Array.from({ length: dimensions }, () => {
    const value = random() + random() + random() - 1.5
    if (shape === 'sparse') return random() < 0.7 ? 0 : value
    return shape === 'uneven' && random() < 0.98 ? value / 100 : value
  })
}

/** The cosine similarity of the half-precision vectors, in double precision; 0 if either is a zero vector. */
function similarity(left: Float32Array, right: Float32Array): number {
  const [a, b] = [left, right].map((vector) => Float64Array.from(Float16Array.from(vector)))
  const dot = (one: Float64Array, two: Float64Array): number =>
    one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0)
  if (!a || !b) return Number.NaN
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths === 0 ? 0 : dot(a, b) / lengths
}

function rowsOf(vectors: readonly Float32Array[], dimensions: number): Uint8Array {
  const rows = Buffer.alloc(vectors.length * rowBytesOf(dimensions))
  for (const [index, vector] of vectors.entries())
    encodeHalfvec(vector).copy(rows, index * rowBytesOf(dimensions) + KEY_BYTES)
  return rows
}

/** Creates vectors in memory with a scanner. */
function held(vectors: readonly Float32Array[], dimensions: number, bytesAMemory = 64 * 2 ** 20) {
  const segments = segmentsOf(dimensions)
  const shared = createSharedMemory({ bytes: 64 * 2 ** 20, threads: 1, bytesAMemory })
  const blocks = Math.ceil(vectors.length / ROWS_A_BLOCK)
  const allocated = Array.from({ length: blocks }, () => shared.allocate(segments) ?? []).flat()
  const units = Uint32Array.from(allocated)
  // Simulates leftovers of an earlier owner.
  for (const unit of units) {
    const buffer = shared.memories[memoryOf(unit)]?.buffer
    if (buffer === undefined) throw new Error('no room')
    new Uint8Array(buffer, addressOf(unit), UNIT_BYTES).fill(0xff)
  }
  writeRows(shared.memories, {
    dimensions,
    page: rowsOf(vectors, dimensions),
    rows: [...vectors.keys()],
    units,
  })
  const rowItems = new Uint32Array(blocks * ROWS_A_BLOCK).fill(NO_ITEM)
  for (const row of vectors.keys()) rowItems[row] = row
  const scan = createScan(shared.memories, roomOf(0))
  return (vector: Float32Array, asked: Partial<ScanJob> & { limit: number }): ScannedRows => {
    const query = quantizeQuery(vector)
    if (query === null) throw new Error('a query without length')
    const job = { query, segments, units, from: 0, to: blocks, rowItems, allowed: null, ...asked }
    const scanned = scan(job)
    if (scanned === null) throw new Error('too many')
    return scanned
  }
}

const given = fc.record({
  seed: fc.nat(),
  dimensions: fc.constantFrom(3, 48, 128, 384, 1_000, 1_536),
  rows: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 100 }) },
    // Several blocks.
    { weight: 1, arbitrary: fc.integer({ min: 250, max: 600 }) },
  ),
  shapes: fc.tuple(
    fc.constantFrom<Shape[]>('dense', 'sparse', 'uneven'),
    fc.constantFrom<Shape[]>('dense', 'sparse', 'uneven'),
  ),
  limit: fc.constantFrom(1, 8, 200),
  odd: fc.boolean(),
})

describe('the scan', () => {
  it('bounds every similarity from both sides and returns all rows that may be among the nearest', () => {
    fc.assert(
      fc.property(given, ({ seed, dimensions, rows, shapes: [ofRows, ofQuestion], limit, odd }) => {
        const random = createRandom(seed)
        const vectors = Array.from({ length: rows }, () => vectorOf(random, dimensions, ofRows))
        // Duplicates, and a zero vector.
        if (odd) vectors.push(...vectors.slice(0, 20), new Float32Array(dimensions))
        const query = vectorOf(random, dimensions, ofQuestion)
        if (query.every((value) => value === 0)) query[0] = 1
        const exact = vectors.map((vector) => similarity(query, vector))
        const {
          rows: candidates,
          upperBounds,
          cosines,
          restUpperBound,
        } = held(vectors, dimensions)(query, { limit })
        for (const [index, row] of candidates.entries()) {
          expect(exact[row]).toBeLessThanOrEqual(upperBounds[index] ?? Number.NaN)
          expect(exact[row]).toBeGreaterThanOrEqual(
            2 * (cosines[index] ?? Number.NaN) - (upperBounds[index] ?? 0),
          )
        }
        const nearest = exact.filter((one) => one > 0).toSorted((left, right) => right - left)
        const last = nearest[limit - 1] ?? 0
        expect(restUpperBound).toBeLessThanOrEqual(last)
        const known = new Set(candidates)
        for (const [row, one] of exact.entries())
          if (!known.has(row) && one > 0) expect(one).toBeLessThan(last)
      }),
      { numRuns: 150 },
    )
  })

  it('returns few rows beyond the nearest', () => {
    const random = createRandom(1)
    const vectors = Array.from({ length: 2_000 }, () => vectorOf(random, 1_024, 'sparse'))
    const { rows } = held(vectors, 1_024)(vectorOf(random, 1_024, 'sparse'), { limit: 8 })
    expect(rows.length).toBeLessThan(40)
  })

  it('skips disallowed items and empty rows', () => {
    const random = createRandom(2)
    const vectors = Array.from({ length: 40 }, () => vectorOf(random, 64, 'dense'))
    const allowed = Uint8Array.from(vectors, (_, row) => row % 2)
    const { rows } = held(vectors, 64)(vectorOf(random, 64, 'dense'), { limit: 200, allowed })
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every((row) => row % 2 === 1 && row < 40)).toBe(true)
  })

  it('returns the same rows in parts as in one pass', () => {
    const random = createRandom(3)
    const vectors = Array.from({ length: 5 * ROWS_A_BLOCK }, () => vectorOf(random, 256, 'dense'))
    const scan = held(vectors, 256)
    const query = vectorOf(random, 256, 'dense')
    const parts = [scan(query, { limit: 8, from: 0, to: 2 }), scan(query, { limit: 8, from: 2, to: 5 })]
    const merged = mergeScanned(parts, 8)
    const whole = scan(query, { limit: 8 })
    expect(merged).toEqual(whole)
  })

  it('returns the same rows from several memories as from one', () => {
    const random = createRandom(4)
    const vectors = Array.from({ length: 5 * ROWS_A_BLOCK }, () => vectorOf(random, 256, 'dense'))
    const query = vectorOf(random, 256, 'dense')
    const twoBlocks = 2 * segmentsOf(256) * UNIT_BYTES
    const scanned = held(vectors, 256, twoBlocks)(query, { limit: 8 })
    expect(scanned).toEqual(held(vectors, 256)(query, { limit: 8 }))
  })

  it('keeps the rows with the greatest cosines and ties, and an upper bound of the other cosines', () => {
    // Few distinct values, so that many are equal.
    const cosines = fc.array(fc.integer({ min: -4, max: 20 }), { maxLength: 60 })
    fc.assert(
      fc.property(cosines, fc.integer({ min: 1, max: 20 }), (values, limit) => {
        const rows = [...values.keys()]
        const all = {
          rows,
          upperBounds: values.map((value) => value + 1),
          cosines: values,
          restUpperBound: 2,
        }
        const kept = greatestCosines(all, limit)
        const last = values.toSorted((one, other) => other - one)[limit - 1] ?? -Infinity
        expect(kept.rows.filter((row) => (values[row] ?? 0) > 0)).toEqual(
          rows.filter((row) => (values[row] ?? 0) >= Math.max(1, last)),
        )
        expect(kept.cosines).toEqual(kept.rows.map((row) => values[row]))
        expect(kept.upperBounds).toEqual(kept.rows.map((row) => (values[row] ?? 0) + 1))
        const others = rows.filter((row) => !kept.rows.includes(row))
        for (const row of others) expect(kept.restUpperBound).toBeGreaterThanOrEqual(values[row] ?? 0)
      }),
    )
  })

  it('runs the kernel that the build script generates', async () => {
    const checkedIn = readFileSync(new URL('./scan.wasm', import.meta.url))
    expect(checkedIn.equals(await buildKernel(scanKernelText()))).toBe(true)
  })
})
