import { describe, expect, it } from 'vitest'
import { ItemLock } from './item-lock.ts'

/** Actions that a test ends by hand, and the order in which they ran. */
function stage() {
  const lock = new ItemLock()
  const happened: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const act = (name: string) => async (): Promise<string> => {
    happened.push(`${name} begins`)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    await end.promise
    happened.push(`${name} ends`)
    return name
  }
  const settle = () => new Promise((done) => setImmediate(done))
  return {
    lock,
    happened,
    shared: (name: string, organizationId = 'a') => lock.shared(organizationId, act(name)),
    exclusive: (name: string, organizationId = 'a') => lock.exclusive(organizationId, act(name)),
    settle,
    async end(name: string) {
      ends.get(name)?.resolve()
      await settle()
    },
  }
}

describe('the item lock', () => {
  it('run callers that share the items at the same time', async () => {
    const { shared, settle, end, happened } = stage()
    const both = Promise.all([shared('one'), shared('two')])
    await settle()
    expect(happened).toEqual(['one begins', 'two begins'])
    await end('two')
    await end('one')
    expect(await both).toEqual(['one', 'two'])
  })

  it('run one holder at a time, in arrival order', async () => {
    const { shared, exclusive, settle, end, happened } = stage()
    const all = Promise.all([
      shared('first'),
      exclusive('held'),
      shared('second'),
      shared('third'),
      exclusive('last'),
    ])
    await settle()
    expect(happened).toEqual(['first begins'])
    await end('first')
    expect(happened.at(-1)).toBe('held begins')
    await end('held')
    expect(happened.slice(-2)).toEqual(['second begins', 'third begins'])
    await end('third')
    expect(happened.at(-1)).toBe('third ends')
    await end('second')
    expect(happened.at(-1)).toBe('last begins')
    await end('last')
    expect(await all).toHaveLength(5)
  })

  it('do not make one organization wait for another', async () => {
    const { exclusive, shared, settle, end, happened } = stage()
    const held = exclusive('held', 'a')
    const other = shared('other', 'b')
    await settle()
    expect(happened.toSorted()).toEqual(['held begins', 'other begins'])
    await end('held')
    await end('other')
    await Promise.all([held, other])
  })

  it('continue after a caller fails', async () => {
    const { lock } = stage()
    const failing = lock.exclusive('a', async () => {
      throw new Error('failed')
    })
    const next = lock.shared('a', async () => 'next')
    await expect(failing).rejects.toThrow('failed')
    expect(await next).toBe('next')
  })

  it('finish unfinished work once, before the next caller and before callers that were already waiting', async () => {
    const { lock, happened } = stage()
    let failures = 1
    const finish = async (): Promise<void> => {
      happened.push('finish')
      if (failures-- > 0) throw new Error('not yet')
    }
    const leaving = lock.exclusive('a', async () => lock.leaveUnfinished('a', finish))
    const waiting = [1, 2, 3].map((n) => lock.shared('a', async () => happened.push(`change ${n}`)))
    await leaving
    const outcomes = await Promise.allSettled(waiting)
    // The first caller's attempt fails and rejects it; the next caller tries again.
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(happened).toEqual(['finish', 'finish', 'change 2', 'change 3'])
    expect(lock.unfinished()).toEqual([])
  })
})
