import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/hostile-texts.ts'
import { PatchBody, stepsOf } from './patch.ts'
import { patchUser } from './patch-user.ts'
import { addressesOf, readUser } from './user-shape.ts'

const before = readUser({ userName: 'ada@example.com', emails: [{ value: 'ada@example.com' }] })
const patched = (Operations: object[]) => patchUser(before, stepsOf(PatchBody.parse({ Operations })))

describe('a PATCH of a user', () => {
  it('with thousands of addresses and a thousand changes of them is refused at once', () => {
    const emails = Array.from({ length: 2_900 }, (_, n) => ({ value: `a${n}` }))
    const changes = Array.from({ length: 999 }, () => ({
      op: 'add',
      path: 'emails[type eq "x"]',
      value: {},
    }))
    const refused = () => patched([{ op: 'add', path: 'emails', value: emails }, ...changes])
    expect(cpuMs(() => expect(refused).toThrow('emails must have at most 50 entries'))).toBeLessThan(500)
  })

  it('refuses addresses that are not objects', () => {
    expect(() => patched([{ op: 'add', path: 'emails', value: ['b@example.com'] }])).toThrow('emails.1')
  })
})

const USER = {
  userName: 'ada',
  emails: [{ value: 'old@example.com', type: 'work', primary: true }],
}
const NEW = { value: 'new@example.com', type: 'other', primary: true }

describe('a PATCH of emails', () => {
  it.each<[string, object]>([
    ['a new email', { op: 'add', path: 'emails', value: [NEW] }],
    ['an email of another type', { op: 'add', path: 'emails[type eq "other"]', value: NEW }],
    ['an email in an object', { op: 'add', value: { emails: [{ ...NEW, primary: 'True' }] } }],
  ])('with %s that is primary leaves no other primary email', (_name, operation) => {
    const user = patchUser(readUser(USER), stepsOf(PatchBody.parse({ Operations: [operation] })))
    expect(user.emails.filter(({ primary }) => primary)).toEqual([NEW])
    expect(addressesOf(user).email).toBe('new@example.com')
  })

  it('with an email that is not primary keeps the primary one', () => {
    const operation = { op: 'add', path: 'emails', value: [{ value: 'new@example.com' }] }
    const user = patchUser(readUser(USER), stepsOf(PatchBody.parse({ Operations: [operation] })))
    expect(user.emails.filter(({ primary }) => primary)).toEqual(USER.emails)
  })
})

it('refuses to remove without a path, because nothing is named', () => {
  expect(() => stepsOf(PatchBody.parse({ Operations: [{ op: 'remove' }] }))).toThrow(
    expect.objectContaining({ details: { scimType: 'noTarget' } }),
  )
})
