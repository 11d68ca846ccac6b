import { describe, expect, it } from 'vitest'
import { isFile, originName } from './origin.ts'

describe('where an item comes from', () => {
  it('is a file for every import, under any provider', () => {
    const metadata = { path: 'handbook/vacation.docx', folder: 'handbook', fileType: 'docx' }
    expect(originName({ provider: 'notion', url: null, metadata })).toBe('File')
    expect(originName({ provider: 'google_drive', url: null, isFile: true })).toBe('File')
  })

  it('is the provider for synced and pushed items', () => {
    expect(originName({ provider: 'google_drive', url: null, metadata: { team: 'people' } })).toBe(
      'Google Drive',
    )
    expect(originName({ provider: 'google_drive', url: null, isFile: false })).toBe('Google Drive')
    expect(isFile({ provider: 'google_drive', url: 'https://drive.google.com/1' })).toBe(false)
  })

  it('is a file without an address if nothing else is known', () => {
    expect(isFile({ provider: 'google_drive', url: '' })).toBe(true)
    expect(isFile({ provider: 'notion', url: '' })).toBe(false)
  })
})
