import { describe, expect, it } from 'vitest'
import { countsOf, fileTarget, fixOfItem, foundBy, type Source } from './source-words.ts'

describe('the fix of an error', () => {
  it('depends on the cause: the provider, a limit, or the service', () => {
    expect(fixOfItem('notion', null)).toContain('Check in Notion')
    expect(fixOfItem('notion', 'not_storable')).toContain('Shorten or split it')
    expect(fixOfItem('notion', 'service_failed')).toContain('operator')
  })
})

describe('the counts of a run', () => {
  it('add up to what it found', () => {
    const run = { itemsIngested: 1_200, itemsUnchanged: 30, itemsDeleted: 4, itemsSkipped: 1 }
    expect(foundBy(run)).toBe(1_235)
    expect(countsOf(run)).toBe('1,235 found: 1,200 stored, 30 unchanged, 4 removed, 1 skipped')
  })
})

describe('the source that files go to', () => {
  const source = (id: string, given: Partial<Source> = {}): Source => ({
    id,
    provider: 'gmail',
    status: 'active',
    displayName: 'Gmail (push)',
    externalAccountId: 'push:1',
    lastSyncedAt: null,
    errorMessage: null,
    channelAllowlist: null,
    sourceItemCount: 0,
    policyHealth: null,
    createdAt: '2026-03-02T09:30:00.000Z',
    updatedAt: '2026-03-02T09:30:00.000Z',
    ...given,
  })
  const unused = source('unused')
  const account = source('account', { externalAccountId: 'grace@example.com', sourceItemCount: 9 })
  const files = source('files', { provider: 'google_drive', displayName: 'Google Drive (push)' })
  const handbook = source('handbook', { displayName: 'Handbook' })

  it('is the one asked for, then the one for files, then another in use', () => {
    const all = [unused, account, handbook, files]
    expect(fileTarget(all, 'unused')).toBe(unused)
    expect(fileTarget(all, undefined)).toBe(files)
    expect(fileTarget([unused, account, handbook], undefined)).toBe(handbook)
    expect(fileTarget([unused, account], undefined)).toBeUndefined()
  })
})
