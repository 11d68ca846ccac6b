import { describe, expect, it } from 'vitest'
import { ItemTurns } from './item-turns.ts'

/** Actions that a test ends by hand, and the order in which they ran. */
function stage() {
  const turns = new ItemTurns()
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
    turns,
    happened,
    share: (name: string, organizationId = 'a') => turns.share(organizationId, act(name)),
    hold: (name: string, organizationId = 'a') => turns.hold(organizationId, act(name)),
    settle,
    async end(name: string) {
      ends.get(name)?.resolve()
      await settle()
    },
  }
}

describe('item turns', () => {
  it('run callers that share the items at the same time', async () => {
    const { share, settle, end, happened } = stage()
    const both = Promise.all([share('one'), share('two')])
    await settle()
    expect(happened).toEqual(['one begins', 'two begins'])
    await end('two')
    await end('one')
    expect(await both).toEqual(['one', 'two'])
  })

  it('run one holder at a time, in arrival order', async () => {
    const { share, hold, settle, end, happened } = stage()
    const all = Promise.all([share('first'), hold('held'), share('second'), share('third'), hold('last')])
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
    const { hold, share, settle, end, happened } = stage()
    const held = hold('held', 'a')
    const shared = share('other', 'b')
    await settle()
    expect(happened.toSorted()).toEqual(['held begins', 'other begins'])
    await end('held')
    await end('other')
    await Promise.all([held, shared])
  })

  it('continue after a caller fails', async () => {
    const { turns } = stage()
    const failing = turns.hold('a', async () => {
      throw new Error('failed')
    })
    const next = turns.share('a', async () => 'next')
    await expect(failing).rejects.toThrow('failed')
    expect(await next).toBe('next')
  })

  it('finish unfinished work once, before the next caller and before callers that were already waiting', async () => {
    const { turns, happened } = stage()
    let failures = 1
    const finish = async (): Promise<void> => {
      happened.push('finish')
      if (failures-- > 0) throw new Error('not yet')
    }
    const leaving = turns.hold('a', async () => turns.leaveUnfinished('a', finish))
    const waiting = [1, 2, 3].map((n) => turns.share('a', async () => happened.push(`change ${n}`)))
    await leaving
    const outcomes = await Promise.allSettled(waiting)
    // The first caller's attempt fails and rejects it; the next caller tries again.
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(happened).toEqual(['finish', 'finish', 'change 2', 'change 3'])
    expect(turns.unfinished()).toEqual([])
  })
})
