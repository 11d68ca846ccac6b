import { describe, expect, it } from 'vitest'
import { UNIT_BYTES } from './block-layout.ts'
import { createSharedMemory } from './shared-memory.ts'

const UNITS = 500

function fill(shared: ReturnType<typeof createSharedMemory>): number[] {
  const units: number[] = []
  for (let unit = shared.allocate(); unit !== null; unit = shared.allocate()) units.push(unit)
  return units
}

describe('the memory for vectors', () => {
  it('stays within its limit and never hands out an address twice', () => {
    const shared = createSharedMemory({ bytes: UNITS * UNIT_BYTES + 1, threads: 2 })
    const room = shared.memory.buffer.byteLength
    expect([shared.units, shared.free]).toEqual([UNITS, UNITS])
    const units = fill(shared).toSorted((left, right) => left - right)
    expect(units.length).toBe(UNITS)
    expect(units.every((unit, index) => index === 0 || unit - (units[index - 1] ?? 0) >= UNIT_BYTES)).toBe(
      true,
    )
    expect(units[0]).toBeGreaterThanOrEqual(room)
    expect((units.at(-1) ?? 0) + UNIT_BYTES).toBeLessThanOrEqual(shared.memory.buffer.byteLength)
    expect(shared.memory.buffer.byteLength - room).toBeLessThan((UNITS + 2) * UNIT_BYTES)
  })

  it('takes memory from the system as it needs it, and reuses what was released', () => {
    const shared = createSharedMemory({ bytes: 100 * UNITS * UNIT_BYTES, threads: 1 })
    const units = Array.from({ length: UNITS }, () => shared.allocate() ?? 0)
    const taken = shared.memory.buffer.byteLength
    expect(taken).toBeLessThan(2 * UNITS * UNIT_BYTES)
    for (const unit of units) shared.release(unit)
    expect(shared.free).toBe(shared.units)
    const again = Array.from({ length: UNITS }, () => shared.allocate() ?? 0)
    expect(new Set(again)).toEqual(new Set(units))
    expect(shared.memory.buffer.byteLength).toBe(taken)
  })
})
