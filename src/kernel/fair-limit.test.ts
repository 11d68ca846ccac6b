import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFairLimit, type FairLimit } from './fair-limit.ts'

const options = { what: 'jobs', concurrency: 2, concurrencyPerOwner: 1, waitMaxMs: 60_000 }

/** Starts work that ends when the test says so, and records the order in which it began. */
function bench(limit: FairLimit) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (owner: string, name: string, more: { cost?: number; signal?: AbortSignal } = {}) =>
    limit({
      owner,
      ...more,
      run: () => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.set(name, resolve))
      },
    })
  const end = async (name: string): Promise<void> => {
    await setImmediate()
    ends.get(name)?.()
    await setImmediate()
  }
  return { begun, start, end }
}

describe('a fair limit', () => {
  it('keeps a place free for other owners, however much one owner queues', async () => {
    const { begun, start, end } = bench(createFairLimit(options))
    const all = Array.from({ length: 20 }, (_, n) => start('greedy', `g${n}`))
    all.push(start('other', 'o'))
    await setImmediate()
    expect(begun).toEqual(['g0', 'o'])
    for (let n = 0; n < 20; n++) await end(`g${n}`)
    await end('o')
    await Promise.all(all)
  })

  it('serves owners in turn', async () => {
    const { begun, start, end } = bench(createFairLimit({ ...options, concurrency: 1 }))
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => start(name.slice(0, 1), name))
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) {
      await setImmediate()
      await end(name)
    }
    await Promise.all(all)
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  it('rejects work early, with Retry-After, when its expected wait is too long, and only for the owner that causes it', async () => {
    let now = 0
    const limit = createFairLimit({ ...options, now: () => now })
    const { start, end } = bench(limit)
    for (const name of ['a', 'b', 'c']) {
      const before = start('greedy', name)
      await setImmediate()
      now += 25_000
      await end(name)
      await before
    }
    const taken = ['g1', 'g2', 'g3'].map((name) => start('greedy', name))
    taken.push(start('greedy', 'g4'))
    await setImmediate()
    await expect(start('greedy', 'g5')).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    })
    const other = start('other', 'o')
    await end('o')
    await other
    for (const name of ['g1', 'g2', 'g3', 'g4']) await end(name)
    await Promise.all(taken)
  })

  it('accepts many small jobs after a large one', async () => {
    let now = 0
    const { start, end, begun } = bench(createFairLimit({ ...options, now: () => now }))
    const large = start('one', 'large', { cost: 10_000_000 })
    await setImmediate()
    now = 30_000
    await end('large')
    await large
    const small = Array.from({ length: 60 }, (_, n) => start('one', `s${n}`, { cost: 2_000 }))
    for (let n = 0; n < 60; n++) {
      await setImmediate()
      await end(`s${n}`)
    }
    await Promise.all(small)
    expect(begun).toHaveLength(61)
  })

  it.each([
    ['the first', [4_000]],
    ['one among many', [...Array.from({ length: 20 }, () => 100), 5_000]],
  ])('accepts a burst of small jobs after %s that was slow', async (_which, milliseconds) => {
    let now = 0
    const { start, end, begun } = bench(createFairLimit({ ...options, now: () => now }))
    for (const [n, ms] of milliseconds.entries()) {
      const before = start('one', `before ${n}`)
      await setImmediate()
      now += ms
      await end(`before ${n}`)
      await before
    }
    const burst = Array.from({ length: 150 }, (_, n) => start('one', `b${n}`))
    for (let n = 0; n < 150; n++) {
      await setImmediate()
      now += 100
      await end(`b${n}`)
    }
    await Promise.all(burst)
    expect(begun).toHaveLength(milliseconds.length + 150)
  })

  it('drops work that waits too long or is aborted, and continues after work that failed', async () => {
    const limit = createFairLimit({ ...options, concurrency: 1, waitMaxMs: 20 })
    const { start, end, begun } = bench(limit)
    const first = start('a', 'first')
    await expect(start('b', 'late')).rejects.toMatchObject({ code: 'overloaded' })
    const leaving = new AbortController()
    const left = start('b', 'left', { signal: leaving.signal })
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await end('first')
    await first
    await expect(limit({ owner: 'a', run: async () => Promise.reject(new Error('broken')) })).rejects.toThrow(
      'broken',
    )
    expect(await limit({ owner: 'a', run: async () => 'again' })).toBe('again')
    expect(begun).toEqual(['first'])
  })
})
