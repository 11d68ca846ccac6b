import { describe, expect, it } from 'vitest'
import { alsoIn, hitsInWords, isSecret, keyOfSecret, scopeInWords, scopeOf } from './key-words.ts'

describe('the scope of a key', () => {
  it('names what the key may not do or read', () => {
    const words = scopeInWords({ allowedActions: ['search', 'ask'], allowedProviders: ['slack'] })
    expect(words).toMatchObject({
      actions: 'search, ask',
      providers: 'Slack',
      hidden: 'Google Drive, Notion, Gmail',
    })
    expect(words.denied).toMatch(/^context, ingest, .*admin$/)
    expect(scopeInWords({ allowedActions: ['search'], allowedProviders: null })).toMatchObject({
      providers: 'All',
      hidden: null,
    })
  })

  it('shows which provider files and pushed documents belong to', () => {
    const sources = [
      { provider: 'notion', externalAccountId: 'push:1', sourceItemCount: 3 },
      { provider: 'slack', externalAccountId: 'push:2', sourceItemCount: 0 },
      { provider: 'gmail', externalAccountId: 'ada@example.com', sourceItemCount: 5 },
    ] as const
    expect(alsoIn('google_drive', [])).toBe('With uploaded and imported files.')
    expect(alsoIn('notion', sources)).toBe('With pushed documents.')
    expect([alsoIn('slack', sources), alsoIn('gmail', sources)]).toEqual([undefined, undefined])
  })
})

describe('a tested key', () => {
  it('is recognized by the first characters of its secret', () => {
    const keys = [{ prefix: 'svc_aaaaaaaa' }, { prefix: 'svc_bbbbbbbb' }]
    expect(keyOfSecret('svc_bbbbbbbbcccc', keys)).toBe(keys[1])
    expect(keyOfSecret('svc_cccccccccccc', keys)).toBeUndefined()
  })

  it('is sent only if it has the form of a secret', () => {
    expect(['svc_Ab-9_x', 'svc_', 'eyJhbGciOi', 'svc_a b', 'svc_a\nb'].map(isSecret)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('is judged by the providers of the passages it found', () => {
    expect(hitsInWords([])).toBe('No results')
    expect(hitsInWords([{ provider: 'slack' }, { provider: 'slack' }])).toBe('2 passages from Slack')
    expect(scopeOf({ provider: 'google_drive', url: '' })).toBe('Google Drive, file')
    expect(scopeOf({ provider: 'slack', url: 'https://a.example' })).toBe('Slack')
  })
})
