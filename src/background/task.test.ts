import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTask } from './task.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A task whose runs end when the test says so. */
function byHand() {
  const errors: unknown[] = []
  let finish: PromiseWithResolvers<void> = Promise.withResolvers()
  let begun = 0
  const task = createTask({
    async act() {
      begun += 1
      await finish.promise
    },
    intervalMs: 1_000,
    onError: (error) => errors.push(error),
  })
  return {
    task,
    errors,
    begun: () => begun,
    async end(failure?: Error) {
      const { resolve, reject } = finish
      finish = Promise.withResolvers()
      if (failure) reject(failure)
      else resolve()
      await new Promise((done) => setImmediate(done))
    },
  }
}

describe('a background task', () => {
  it('runs one at a time, and once more for any number of requests during a run', async () => {
    const { task, begun, end } = byHand()
    const first = task.ask()
    void task.ask()
    void task.ask()
    expect(begun()).toBe(1)
    await end()
    expect(begun()).toBe(2)
    await end()
    await first
    expect(begun()).toBe(2)
  })

  it('continues after a failure, and reports it', async () => {
    const { task, begun, errors, end } = byHand()
    void task.ask()
    await end(new Error('away'))
    expect(errors).toEqual([new Error('away')])
    void task.ask()
    expect(begun()).toBe(2)
    await end()
  })

  it('waits an interval before the first run when asked to', async () => {
    vi.useFakeTimers()
    let done = 0
    const act = async (): Promise<void> => void (done += 1)
    const task = createTask({ act, intervalMs: 1_000, onError: () => {}, waitsFirst: true })
    task.start()
    await vi.advanceTimersByTimeAsync(999)
    expect(done).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toBe(1)
    await task.stop()
  })

  it('does nothing before the start, then runs at once and every interval', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { task, begun, end } = byHand()
    vi.advanceTimersByTime(5_000)
    expect(begun()).toBe(0)
    task.start()
    expect(begun()).toBe(1)
    await end()
    vi.advanceTimersByTime(1_000)
    expect(begun()).toBe(2)
    await end()
  })

  it('waits for the current run when stopped, and does not run again', async () => {
    const { task, begun, end } = byHand()
    task.start()
    void task.ask()
    const stopped = task.stop()
    await end()
    await stopped
    await task.ask()
    expect(begun()).toBe(1)
  })
})
