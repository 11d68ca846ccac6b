import { expect, it } from 'vitest'
import { createFaults } from './faults.ts'
import { createStreams } from './streams.ts'

it('gives the same decisions for the same seed, whatever else is drawn between them', () => {
  const one = createStreams(7)
  const other = createStreams(7)
  const first = [one.draw('a'), one.draw('a')]
  other.draw('b')
  expect([other.draw('a'), other.draw('a')]).toEqual(first)
  expect(createStreams(8).draw('a')).not.toBe(first[0])
})

it('leaves out the faults that are skipped, and no other', () => {
  const faultsOf = (skip: number[]) => {
    const faults = createFaults(createStreams(3), new Set(skip))
    faults.start()
    for (let n = 0; n < 3_000; n += 1) faults.next('provider', 'GET pages')
    return faults.injected
  }
  const all = faultsOf([])
  expect(all.length).toBeGreaterThan(3)
  expect(faultsOf([2])).toEqual(all.filter(({ number }) => number !== 2))
})
