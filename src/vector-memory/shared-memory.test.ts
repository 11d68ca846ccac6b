import { describe, expect, it } from 'vitest'
import { createSharedMemory } from './shared-memory.ts'

/** Bytes requested from the system at a time. */
const EXTENT = 4 * 2 ** 20
/** Block sizes for 1,024 and 1,536 dimensions. */
const SMALL = 270_336
const LARGE = 405_504

function fill(shared: ReturnType<typeof createSharedMemory>, size: number): number[] {
  const blocks: number[] = []
  for (let block = shared.allocate(size); block !== null; block = shared.allocate(size)) blocks.push(block)
  return blocks
}

describe('the memory for vectors', () => {
  it('stays within its limit and never hands out an address twice', () => {
    const shared = createSharedMemory({ bytes: 3 * EXTENT, threads: 2 })
    const room = shared.memory.buffer.byteLength
    const blocks = fill(shared, SMALL).toSorted((left, right) => left - right)
    expect(blocks.length).toBe(3 * Math.floor(EXTENT / SMALL))
    expect(shared.memory.buffer.byteLength - room).toBe(3 * EXTENT)
    expect(blocks.every((block, index) => index === 0 || block - (blocks[index - 1] ?? 0) >= SMALL)).toBe(
      true,
    )
    expect(blocks[0]).toBeGreaterThanOrEqual(room)
  })

  it('reuses space for blocks of another size', () => {
    const shared = createSharedMemory({ bytes: 2 * EXTENT, threads: 1 })
    const small = fill(shared, SMALL)
    expect(shared.hasRoom(1, LARGE)).toBe(false)
    expect(shared.couldHold(2 * Math.floor(EXTENT / LARGE), LARGE)).toBe(true)
    for (const block of small) shared.release(block, SMALL)
    expect(shared.hasRoom(2 * Math.floor(EXTENT / LARGE), LARGE)).toBe(true)
    expect(fill(shared, LARGE).length).toBe(2 * Math.floor(EXTENT / LARGE))
    expect(shared.memory.buffer.byteLength).toBeLessThan(3 * EXTENT)
  })

  it('predicts how many blocks fit', () => {
    const shared = createSharedMemory({ bytes: 2 * EXTENT, threads: 1 })
    const most = 2 * Math.floor(EXTENT / SMALL)
    expect(shared.hasRoom(most, SMALL)).toBe(true)
    expect(shared.hasRoom(most + 1, SMALL)).toBe(false)
    expect(shared.couldHold(most + 1, SMALL)).toBe(false)
    const taken = shared.allocate(SMALL) ?? 0
    expect(shared.hasRoom(most - 1, SMALL)).toBe(true)
    expect(shared.hasRoom(most, SMALL)).toBe(false)
    shared.release(taken, SMALL)
    expect(shared.hasRoom(most, SMALL)).toBe(true)
  })
})
