import { describe, expect, it } from 'vitest'
import { UNIT_BYTES } from './block-layout.ts'
import { addressOf, createSharedMemory, memoryOf, type SharedMemory } from './shared-memory.ts'

const UNITS = 500
const SEGMENTS = 8

function fill(shared: SharedMemory, size: number): number[][] {
  const blocks: number[][] = []
  for (let block = shared.allocate(size); block !== null; block = shared.allocate(size)) blocks.push(block)
  return blocks
}

function takenBytes({ memories }: SharedMemory): number {
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
}

describe('the memory for vectors', () => {
  it('stays within its limit and never hands out an address twice', () => {
    const shared = createSharedMemory({ bytes: UNITS * UNIT_BYTES + 1, threads: 2 })
    const room = takenBytes(shared)
    expect([shared.blocksMax(1), shared.blocksFree(1)]).toEqual([UNITS, UNITS])
    const units = fill(shared, 1)
      .flat()
      .toSorted((left, right) => left - right)
    expect(units.length).toBe(UNITS)
    expect(units.every((unit, index) => index === 0 || unit - (units[index - 1] ?? 0) >= UNIT_BYTES)).toBe(
      true,
    )
    expect(units[0]).toBeGreaterThanOrEqual(room)
    expect((units.at(-1) ?? 0) + UNIT_BYTES).toBeLessThanOrEqual(takenBytes(shared))
    expect(takenBytes(shared) - room).toBeLessThan((UNITS + 2) * UNIT_BYTES)
  })

  it('takes memory from the system as it needs it, and reuses what was released', () => {
    const shared = createSharedMemory({ bytes: 100 * UNITS * UNIT_BYTES, threads: 1 })
    const units = Array.from({ length: UNITS }, () => shared.allocate(1) ?? []).flat()
    const taken = takenBytes(shared)
    expect(taken).toBeLessThan(2 * UNITS * UNIT_BYTES)
    for (const unit of units) shared.release(unit)
    expect(shared.blocksFree(1)).toBe(shared.blocksMax(1))
    const again = Array.from({ length: UNITS }, () => shared.allocate(1) ?? []).flat()
    expect(new Set(again)).toEqual(new Set(units))
    expect(takenBytes(shared)).toBe(taken)
  })

  it('continues in another memory, with all units of a block in one', () => {
    const bytesAMemory = 20 * UNIT_BYTES
    const shared = createSharedMemory({ bytes: 3 * bytesAMemory, threads: 1, bytesAMemory })
    expect(shared.memories.length).toBe(3)
    expect(shared.blocksMax(SEGMENTS)).toBe(6)
    const blocks = fill(shared, SEGMENTS)
    expect(blocks.length).toBe(6)
    expect(blocks.map((units) => new Set(units.map(memoryOf)).size)).toEqual(blocks.map(() => 1))
    expect(new Set(blocks.flat()).size).toBe(6 * SEGMENTS)
    for (const unit of blocks.flat())
      expect(addressOf(unit) + UNIT_BYTES).toBeLessThanOrEqual(
        shared.memories[memoryOf(unit)]?.buffer.byteLength ?? 0,
      )
    for (const unit of blocks[2] ?? []) shared.release(unit)
    expect(shared.blocksFree(SEGMENTS)).toBe(1)
    expect(new Set(shared.allocate(SEGMENTS))).toEqual(new Set(blocks[2]))
  })

  it('holds more than the 4 GiB that one memory can address', () => {
    const bytes = 10_000 * 2 ** 20
    const shared = createSharedMemory({ bytes, threads: 5 })
    expect(shared.blocksMax(SEGMENTS) * SEGMENTS * UNIT_BYTES).toBeGreaterThan(0.999 * bytes)
    expect(takenBytes(shared)).toBeLessThan(8 * 2 ** 20)
  })
})
