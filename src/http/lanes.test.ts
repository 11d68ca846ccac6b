import { expect, it } from 'vitest'
import { createLanes } from './lanes.ts'

it('serves a token in the turn of the owner it was last accepted for', () => {
  const lanes = createLanes()
  lanes.remember('Bearer svc_a', 'acme')
  lanes.remember('Bearer svc_b', 'acme')
  expect([lanes.laneOf('Bearer svc_a'), lanes.laneOf('Bearer svc_b')]).toEqual(['acme', 'acme'])
})

it('serves all tokens that were never accepted in one turn', () => {
  const lanes = createLanes()
  expect(lanes.laneOf('Bearer svc_1')).toBe(lanes.laneOf('Bearer svc_2'))
  expect(lanes.laneOf(undefined)).not.toBe(lanes.laneOf('Bearer svc_1'))
})

it('evicts the oldest token when the cache is full', () => {
  const lanes = createLanes(2)
  for (const name of ['a', 'b', 'c']) lanes.remember(name, `owner of ${name}`)
  expect(lanes.laneOf('a')).toBe(lanes.laneOf('never seen'))
  expect([lanes.laneOf('b'), lanes.laneOf('c')]).toEqual(['owner of b', 'owner of c'])
})
