import { describe, expect, it } from 'vitest'
import { encodeHalfvec } from '../database/halfvec.ts'
import { createRandom } from '../kernel/seeded-random.ts'
import { ROWS_A_BLOCK, segmentsOf, UNIT_BYTES } from './block-layout.ts'
import { NoRoom, RowTable } from './row-table.ts'
import { createSharedMemory } from './shared-memory.ts'
import { KEY_BYTES, rowBytesOf } from './write-rows.ts'

const DIMENSIONS = 256
const BLOCK_BYTES = segmentsOf(DIMENSIONS) * UNIT_BYTES
const BLOCKS = 5
const ROWS = BLOCKS * ROWS_A_BLOCK

function tableOf(bytesAMemory: number): RowTable {
  const random = createRandom(1)
  const table = new RowTable(
    DIMENSIONS,
    createSharedMemory({ bytes: BLOCKS * BLOCK_BYTES, threads: 1, bytesAMemory }),
  )
  const page = Buffer.alloc(ROWS * rowBytesOf(DIMENSIONS))
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
    encodeHalfvec(vector).copy(page, row * rowBytesOf(DIMENSIONS) + KEY_BYTES)
    return table.add(row, 0)
  })
  table.write(page, rows)
  return table
}

describe('a table of vectors', () => {
  it('has the same contents in several memories as in one, and as many rows', () => {
    const [one, several] = [tableOf(BLOCKS * BLOCK_BYTES), tableOf(BLOCK_BYTES)]
    const contents = (table: RowTable): Buffer[] =>
      Array.from({ length: BLOCKS }, (_, block) => Buffer.concat([...table.bytesOf(block)]))
    expect(contents(several)).toEqual(contents(one))
    const vector = new Float32Array(DIMENSIONS).fill(1)
    const meanings = (table: RowTable): number[] =>
      Array.from({ length: ROWS }, (_, row) => table.meaningOf(vector, { from: 100, length: 100 })(row))
    expect(meanings(several)).toEqual(meanings(one))
    for (const table of [one, several]) expect(() => table.add(ROWS, 0)).toThrow(NoRoom)
  })
})
