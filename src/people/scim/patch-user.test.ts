import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/hostile-texts.ts'
import { PatchBody, stepsOf } from './patch.ts'
import { patchUser } from './patch-user.ts'
import { readUser } from './user-shape.ts'

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
