import { setImmediate as nextIteration } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBatches } from './batches.ts'

/** Creates batches whose runs end when the test says so. */
function batches(sizeMax?: number, lingerMs?: number) {
  const runs: {
    asks: readonly string[]
    end: (answers: (string | Error)[]) => void
    fail: (e: Error) => void
  }[] = []
  const ask = inBatches<string, string>({
    keyOf: (text) => text.slice(0, 1),
    run: (asks) => {
      const { promise, resolve, reject } = Promise.withResolvers<(string | Error)[]>()
      runs.push({ asks, end: resolve, fail: reject })
      return promise
    },
    ...(sizeMax === undefined ? {} : { sizeMax }),
    ...(lingerMs === undefined ? {} : { lingerMs: () => lingerMs }),
  })
  const begun = async (count: number): Promise<void> => {
    while (runs.length < count) await nextIteration()
  }
  return { runs, ask, begun }
}

describe('batched requests', () => {
  it('runs requests that arrive over a few iterations in one batch, and later ones in the next, in order', async () => {
    const { runs, ask, begun } = batches()
    const asked = ['a1', 'a2'].map(ask)
    await nextIteration()
    asked.push(ask('a3'))
    await begun(1)
    expect(runs.map(({ asks }) => asks)).toEqual([['a1', 'a2', 'a3']])
    const later = ['a4', 'a5'].map(ask)
    runs[0]?.end(['A1', 'A2', 'A3'])
    expect(await Promise.all(asked)).toEqual(['A1', 'A2', 'A3'])
    await begun(2)
    expect(runs[1]?.asks).toEqual(['a4', 'a5'])
    runs[1]?.end(['A4', 'A5'])
    expect(await Promise.all(later)).toEqual(['A4', 'A5'])
  })

  it('starts a run even when every iteration brings another request', async () => {
    const { runs, ask, begun } = batches()
    let brought = 0
    const bring = (): void => {
      void ask('a')
      if (runs.length === 0 && (brought += 1) < 50) setImmediate(bring)
    }
    setImmediate(bring)
    void ask('a')
    await begun(1)
    expect(runs[0]?.asks.length).toBeGreaterThan(1)
    expect(runs[0]?.asks.length).toBeLessThan(20)
  })

  it('waits for more requests if configured to', async () => {
    const { runs, ask, begun } = batches(undefined, 50)
    void ask('a1')
    for (let loops = 0; loops < 10; loops += 1) await nextIteration()
    void ask('a2')
    await begun(1)
    expect(runs.map(({ asks }) => asks)).toEqual([['a1', 'a2']])
  })

  it('does not block one key on another', async () => {
    const { runs, ask } = batches()
    for (const text of ['a1', 'b1', 'c1']) void ask(text)
    await nextIteration()
    expect(runs.map(({ asks }) => asks)).toEqual([['a1'], ['b1'], ['c1']])
  })

  it('never answers a request from a run that started before it', async () => {
    const { runs, ask, begun } = batches()
    void ask('a1')
    await nextIteration()
    const late = ask('a2')
    runs[0]?.end(['A1'])
    await begun(2)
    expect(runs[1]?.asks).toEqual(['a2'])
    runs[1]?.end(['A2'])
    expect(await late).toBe('A2')
  })

  it('rejects a single request or every request of a failed run, and continues', async () => {
    const { runs, ask, begun } = batches()
    const failed = ask('a1').catch((error: unknown) => error)
    await nextIteration()
    const [second, third, fourth] = ['a2', 'a3', 'a4'].map(ask)
    runs[0]?.fail(new Error('lost'))
    expect(await failed).toEqual(new Error('lost'))
    await begun(2)
    const refused = third?.catch((error: unknown) => error)
    runs[1]?.end(['A2', new Error('full'), 'A4'])
    expect([await second, await refused, await fourth]).toEqual(['A2', new Error('full'), 'A4'])
    void ask('a5')
    await begun(3)
    expect(runs[2]?.asks).toEqual(['a5'])
  })

  it('rejects the batch when a run returns too few answers', async () => {
    const { runs, ask } = batches()
    const asked = ask('a1').catch((error: unknown) => error)
    await nextIteration()
    runs[0]?.end([])
    expect(await asked).toEqual(new Error('a batch of 1 got 0 answers'))
  })

  it('bounds the size of a run', async () => {
    const { runs, ask, begun } = batches(2)
    const asked = ['a1', 'a2', 'a3', 'a4', 'a5'].map(ask)
    for (const index of [0, 1, 2]) {
      await begun(index + 1)
      runs[index]?.end([...(runs[index].asks ?? [])])
    }
    expect(runs.map(({ asks }) => asks.length)).toEqual([2, 2, 1])
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  it('gives each request its own answer, whenever it arrives', async () => {
    const run = async (asks: readonly number[]): Promise<number[]> => {
      await nextIteration()
      return asks.map((n) => n * 2)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 40 }), async (asks) => {
        const ask = inBatches({ keyOf: (n: number) => String(n % 3), run, sizeMax: 4 })
        const answers: Promise<number>[] = []
        for (const [n, pauses] of asks) {
          answers.push(ask(n))
          if (pauses) await nextIteration()
        }
        expect(await Promise.all(answers)).toEqual(asks.map(([n]) => n * 2))
      }),
    )
  })
})
