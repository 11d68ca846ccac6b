import { describe, expect, it } from 'vitest'
import { type KnownNames, targetOf, typeWords } from './target-words.ts'

const ID = '22222222-2222-4222-8222-222222222222'
const NOBODY: KnownNames = {
  keys: new Map(),
  sources: new Map(),
  people: new Map(),
  groups: new Map(),
  webhooks: new Map(),
}

const event = (targetType: string, metadata: Record<string, unknown> = {}, targetId = ID) => ({
  id: ID,
  organizationId: ID,
  actorUserId: ID,
  actorApiKeyId: null,
  action: 'x',
  targetType,
  targetId,
  metadata,
  createdAt: '2026-03-02T09:30:00.000Z',
})

describe('the target of an event', () => {
  it('has its current name and a link to its page', () => {
    const known = {
      ...NOBODY,
      keys: new Map([[ID, 'Support bot']]),
      sources: new Map([[ID, 'Team chat']]),
    }
    expect(targetOf(event('api_key', { name: 'Old name' }), known)).toEqual({
      name: 'Support bot',
      page: { to: '/developers/keys/$keyId', params: { keyId: ID } },
    })
    expect(targetOf(event('sync_run', { connectorId: ID }, 'other'), known)).toEqual({
      name: 'Sync run of Team chat',
      page: { to: '/sources/$sourceId', params: { sourceId: ID } },
    })
  })

  it('is a deleted item with its external ID, and of others the start of the ID', () => {
    const known = { ...NOBODY, sources: new Map([[ID, 'Team chat']]) }
    const nameOf = (metadata: Record<string, unknown>) =>
      targetOf(event('source_item', { connectorId: ID, ...metadata }), known).name
    expect(nameOf({})).toBe('Source item 22222222… of Team chat')
    expect(nameOf({ externalId: 'handbook/vacation' })).toBe('Source item handbook/vacation of Team chat')
  })

  it('has the recorded name and a link if it is a revoked key, whose page stays', () => {
    const page = { to: '/developers/keys/$keyId', params: { keyId: ID } }
    expect(targetOf(event('api_key', { name: 'Old bot' }), NOBODY)).toEqual({ name: 'Old bot', page })
  })

  it('has no link if it was deleted', () => {
    expect(targetOf(event('source'), NOBODY)).toEqual({ name: 'Removed source', page: null })
    expect(targetOf(event('user'), NOBODY)).toEqual({ name: 'A former member', page: null })
  })

  it('is the question of a retrieval, shortened', () => {
    expect(targetOf(event('search', { query: 'How many days?' }), NOBODY).name).toBe('How many days?')
    expect(targetOf(event('search', { query: 'x'.repeat(200) }), NOBODY).name).toHaveLength(80)
  })

  it('is its type in words if it has no name', () => {
    expect(targetOf(event('ingest_request'), NOBODY)).toEqual({ name: 'Ingest request', page: null })
    expect(['api_key', 'scim_token'].map(typeWords)).toEqual(['API key', 'SCIM token'])
  })
})
