import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

/** Milliseconds that a pace rests from a step of so many, by a clock that only sleeping moves on. */
async function restFrom(tookMs: number, isBusyAt: (ms: number) => boolean): Promise<number> {
  let nowMs = 0
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms)
  const signal = new AbortController().signal
  const pause = createPace(() => isBusyAt(nowMs - tookMs), signal, { now: () => nowMs, sleep })
  nowMs = tookMs
  await pause()
  return nowMs - tookMs
}

describe('work in the background', () => {
  it('rests as long as a step took where nobody asks, and many times as long where somebody does', async () => {
    expect(await restFrom(20, () => false)).toBe(20)
    expect(await restFrom(20, () => true)).toBe(480)
  })

  it('goes on within a second beside requests that never end, however long a step took', async () => {
    expect(await restFrom(60_000, () => true)).toBe(1_000)
  })

  it('goes on once nobody asks any more', async () => {
    expect(await restFrom(40, (ms) => ms < 100)).toBe(100)
  })

  it('ends when it is to', async () => {
    const controller = new AbortController()
    const pause = createPace(() => true, controller.signal)
    controller.abort()
    await expect(pause()).rejects.toThrow('operation was aborted')
  })
})
