import { describe, expect, it } from 'vitest'
import { grantableRoles, whyNot } from './member-rules.ts'

const owner = { id: 'o', role: 'owner' } as const
const other = { id: 'p', role: 'owner' } as const
const admin = { id: 'a', role: 'admin' } as const
const member = { id: 'm', role: 'member' } as const

describe('the rules of members', () => {
  it('do not let the last owner leave or be removed', () => {
    expect(whyNot(owner, owner, [owner, admin])).toContain('last owner')
    expect(whyNot(owner, owner, [owner, other])).toBeUndefined()
  })

  it('let admins manage admins and members, but no owners', () => {
    const all = [owner, other, admin, member]
    expect(whyNot(member, admin, all)).toBeUndefined()
    expect(whyNot({ id: 'b', role: 'admin' }, admin, all)).toBeUndefined()
    expect(whyNot(other, admin, all)).toContain('Only owners')
    expect(whyNot(owner, admin, [owner, admin])).toContain('Only owners')
    expect(grantableRoles('admin')).toEqual(['member', 'admin'])
    expect(grantableRoles('owner')).toContain('owner')
  })

  it('let members only leave', () => {
    const all = [owner, member, admin]
    expect(whyNot(admin, member, all)).toContain('Only admins')
    expect(whyNot(member, member, all)).toBeUndefined()
    expect(grantableRoles('member')).toEqual([])
  })
})
