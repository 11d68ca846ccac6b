import { expect, it } from 'vitest'
import { createRequestOwners } from './request-owners.ts'

it('serves a token on behalf of the owner it was last accepted for', () => {
  const owners = createRequestOwners()
  owners.remember('Bearer svc_a', 'acme')
  owners.remember('Bearer svc_b', 'acme')
  expect([owners.ownerOfRequest('Bearer svc_a'), owners.ownerOfRequest('Bearer svc_b')]).toEqual([
    'acme',
    'acme',
  ])
})

it('serves all tokens that were never accepted on behalf of one owner', () => {
  const owners = createRequestOwners()
  expect(owners.ownerOfRequest('Bearer svc_1')).toBe(owners.ownerOfRequest('Bearer svc_2'))
  expect(owners.ownerOfRequest(undefined)).not.toBe(owners.ownerOfRequest('Bearer svc_1'))
})

it('evicts the oldest token when the cache is full', () => {
  const owners = createRequestOwners(2)
  for (const name of ['a', 'b', 'c']) owners.remember(name, `owner of ${name}`)
  expect(owners.ownerOfRequest('a')).toBe(owners.ownerOfRequest('never seen'))
  expect([owners.ownerOfRequest('b'), owners.ownerOfRequest('c')]).toEqual(['owner of b', 'owner of c'])
})
