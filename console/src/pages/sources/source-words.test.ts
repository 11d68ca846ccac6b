import { describe, expect, it } from 'vitest'
import { sourceForTests } from './source-for-tests.ts'
import { countsOf, fileTarget, fixOfItem, foundBy } from './source-words.ts'

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
  const unused = sourceForTests({ id: 'unused', provider: 'gmail' })
  const account = sourceForTests({
    id: 'account',
    provider: 'gmail',
    externalAccountId: 'grace@example.com',
    sourceItemCount: 9,
  })
  const files = sourceForTests({ id: 'files', provider: 'google_drive', displayName: 'Google Drive (push)' })
  const handbook = sourceForTests({ id: 'handbook', provider: 'gmail', displayName: 'Handbook' })

  it('is the one asked for, then the one for files, then another in use', () => {
    const all = [unused, account, handbook, files]
    expect(fileTarget(all, 'unused')).toBe(unused)
    expect(fileTarget(all, undefined)).toBe(files)
    expect(fileTarget([unused, account, handbook], undefined)).toBe(handbook)
    expect(fileTarget([unused, account], undefined)).toBeUndefined()
  })
})
