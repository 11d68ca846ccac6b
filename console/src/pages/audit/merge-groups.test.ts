import { describe, expect, it } from 'vitest'
import { type AuditGroup, mergeGroups } from './merge-groups.ts'

const ADA = '11111111-1111-4111-8111-111111111111'

function group(from: string, to: string, count: number, isOpen = false, actor = ADA): AuditGroup {
  return {
    event: {
      id: '22222222-2222-4222-8222-222222222222',
      organizationId: '33333333-3333-4333-8333-333333333333',
      actorUserId: actor,
      actorApiKeyId: null,
      action: 'search.retrieve',
      targetType: 'search',
      targetId: 'x',
      metadata: {},
      createdAt: `2026-03-02T${to}:00.000Z`,
    },
    oldestAt: `2026-03-02T${from}:00.000Z`,
    count,
    isOpen,
  }
}

describe('groups of several pages', () => {
  it('are merged if a page ended within a burst, with both counts', () => {
    const merged = mergeGroups([group('10:00', '11:00', 5_000, true), group('09:30', '09:55', 20)])
    expect(merged).toMatchObject([{ count: 5_020, oldestAt: '2026-03-02T09:30:00.000Z', isOpen: false }])
  })

  it('stay separate if the first is closed, the gap is too long, or the actor differs', () => {
    const earlier = group('09:30', '09:45', 20)
    expect(mergeGroups([group('09:50', '11:00', 5), earlier])).toHaveLength(2)
    expect(mergeGroups([group('10:00', '11:00', 5, true), earlier])).toHaveLength(2)
    expect(mergeGroups([group('09:50', '11:00', 5, true, 'another'), earlier])).toHaveLength(2)
  })
})
