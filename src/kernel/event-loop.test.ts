import { expect, it } from 'vitest'
import { actingFor, currentOwner, yieldToEventLoop } from './event-loop.ts'

it('keeps the owner across awaits', async () => {
  expect(currentOwner()).toBe('service')
  const seen = await actingFor('acme', async () => {
    await yieldToEventLoop()
    return currentOwner()
  })
  expect([seen, currentOwner()]).toEqual(['acme', 'service'])
})

it('resumes one job per iteration of the event loop, owner by owner', async () => {
  const order: string[] = []
  let loops = 0
  const count = setInterval(() => {}, 1_000)
  const tick = (): void => void setImmediate(() => ((loops += 1), loops < 20 && tick()))
  tick()
  const work = (owner: string, name: string): Promise<void> =>
    actingFor(owner, async () => {
      await yieldToEventLoop()
      order.push(`${name} in loop ${loops}`)
    })
  await Promise.all([work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1')])
  clearInterval(count)
  expect(order.map((each) => each.slice(0, 2))).toEqual(['a1', 'b1', 'a2', 'a3'])
  expect(new Set(order.map((each) => each.slice(3))).size).toBe(4)
})
