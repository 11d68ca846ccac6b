import { describe, expect, it } from 'vitest'
import { shownKey } from './key-history.ts'

const ID = '0f86601d-7f8d-4d54-ab0f-60555d52b81c'
const live = {
  id: ID,
  name: 'Support bot',
  prefix: 'svc_abcdefgh',
  actorType: 'agent' as const,
  allowedActions: ['search' as const],
  allowedProviders: null,
  requiresUser: false,
  lastUsedAt: null,
  createdAt: '2026-03-02T09:30:00.000Z',
}
const event = (action: string, createdAt: string, metadata: Record<string, unknown>) => ({
  id: action,
  organizationId: ID,
  actorUserId: ID,
  actorApiKeyId: null,
  action,
  targetType: 'api_key',
  targetId: ID,
  metadata,
  createdAt,
})
const creation = event('api_key.create', '2026-03-02T09:30:00.000Z', {
  name: 'Support bot',
  prefix: 'svc_abcdefgh',
  allowedActions: ['search', 'an action of a later version'],
  allowedProviders: null,
})
const revocation = event('api_key.revoke', '2026-04-02T09:30:00.000Z', {
  name: 'Support bot',
  prefix: 'svc_abcdefgh',
})

describe('the page of a key', () => {
  it('has the live key with the event of its creation', () => {
    expect(shownKey(ID, live, [creation])).toMatchObject({
      live,
      created: { event: creation },
      revoked: null,
    })
  })

  it('has no creator for a key that the deployment created', () => {
    expect(shownKey(ID, live, [])?.created).toEqual({ at: live.createdAt, event: null })
  })

  it('has a revoked key as the audit trail recorded it', () => {
    expect(shownKey(ID, undefined, [revocation, creation])).toEqual({
      id: ID,
      live: null,
      name: 'Support bot',
      prefix: 'svc_abcdefgh',
      allowedActions: ['search'],
      allowedProviders: null,
      created: { at: creation.createdAt, event: creation },
      revoked: { at: revocation.createdAt, event: revocation },
    })
    expect(shownKey(ID, undefined, [revocation])).toMatchObject({ allowedActions: [], created: null })
  })

  it('has nothing for an unknown ID', () => {
    expect(shownKey(ID, undefined, [])).toBeNull()
  })
})
