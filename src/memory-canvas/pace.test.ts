import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

/** How many milliseconds a pace rests after a step, by a clock that only sleep advances. */
async function restFrom(tookMs: number, isBusyAt: (ms: number) => boolean): Promise<number> {
  let nowMs = 0
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms)
  const signal = new AbortController().signal
  const pause = createPace(() => isBusyAt(nowMs - tookMs), signal, { now: () => nowMs, sleep })
  nowMs = tookMs
  await pause()
  return nowMs - tookMs
}

describe('background work', () => {
  it('rests as long as a step took while idle, and many times as long under requests', async () => {
    expect(await restFrom(20, () => false)).toBe(20)
    expect(await restFrom(20, () => true)).toBe(480)
  })

  it('continues within a second under constant requests, however long a step took', async () => {
    expect(await restFrom(60_000, () => true)).toBe(1_000)
  })

  it('continues as soon as requests end', async () => {
    expect(await restFrom(40, (ms) => ms < 100)).toBe(100)
  })

  it('ends when aborted', async () => {
    const controller = new AbortController()
    const pause = createPace(() => true, controller.signal)
    controller.abort()
    await expect(pause()).rejects.toThrow('operation was aborted')
  })
})
