import { describe, expect, it } from 'vitest'
import { principalsOfPolicy } from './access-policy.ts'

const NOBODY = { allow: [], deny: [] }
/** An object whose `length` cannot be compared with a number. */
const HOSTILE = { length: { toString: 'x', valueOf: 1 } }

describe('an access policy', () => {
  it.each([
    ['missing', undefined],
    ['of an unknown visibility', { visibility: 'secret' }],
    ['with an unknown field', { visibility: 'public', everyone: true }],
    ['with an object in place of a list', { visibility: 'restricted', users: HOSTILE }],
    ['with an object in place of an address', { visibility: 'restricted', users: [HOSTILE] }],
    ['with an object in place of a denied address', { visibility: 'public', deny: [HOSTILE] }],
  ])('%s allows no one', (_, policy) => {
    expect(principalsOfPolicy(policy, { by: 'push' })).toEqual(NOBODY)
  })
})
