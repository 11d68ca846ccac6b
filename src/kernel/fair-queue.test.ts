import { expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const drain = (queue: ReturnType<typeof createFairQueue<string>>): string[] =>
  Array.from({ length: queue.size }, () => queue.next() ?? '')

it('serves owners in turn, however much each has queued', () => {
  const queue = createFairQueue<string>()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(name.slice(0, 1), name)
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

it("serves a new owner before anyone's second turn", () => {
  const queue = createFairQueue<string>()
  for (const name of ['a1', 'a2', 'a3']) queue.add('a', name)
  expect(queue.next()).toBe('a1')
  queue.add('b', 'b1')
  queue.add('b', 'b2')
  expect(drain(queue)).toEqual(['a2', 'b1', 'a3', 'b2'])
})

it('returns undefined when the queue is empty', () => {
  const queue = createFairQueue<string>()
  expect(queue.next()).toBeUndefined()
  queue.add('a', 'a1')
  expect([queue.next(), queue.next(), queue.size]).toEqual(['a1', undefined, 0])
})
