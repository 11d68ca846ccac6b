import { describe, expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'

const page = (charset: string, letter: number): Buffer =>
  Buffer.concat([Buffer.from(`<meta charset="${charset}"><p>`), Buffer.from([letter])])

describe('decodeText', () => {
  it('reads UTF-8 with and without a mark, and UTF-16 with one', () => {
    expect(decodeText(Buffer.from('Grüße 日本'))).toBe('Grüße 日本')
    expect(decodeText(Buffer.from('\ufeffGrüße'))).toBe('Grüße')
    expect(decodeText(Buffer.from('\ufeffGrüße', 'utf16le'))).toBe('Grüße')
    expect(decodeText(Buffer.from('\ufeffGrüße', 'utf16le').swap16())).toBe('Grüße')
  })

  it('reads what is not UTF-8 as windows-1252', () => {
    expect(decodeText(Buffer.from([0x93, 0x47, 0x72, 0xfc, 0xdf, 0x65, 0x94, 0x20, 0x80]))).toBe('“Grüße” €')
  })

  it('believes an HTML page about its own encoding, if there is such an encoding', () => {
    expect(decodeText(page('koi8-r', 0xc1), true)).toContain('<p>а')
    expect(decodeText(page('no-such', 0xe9), true)).toContain('<p>é')
    expect(decodeText(page('koi8-r', 0xe9))).toContain('<p>é')
  })

  it('refuses binary data', () => {
    expect(() => decodeText(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))).toThrow('binary')
  })
})
