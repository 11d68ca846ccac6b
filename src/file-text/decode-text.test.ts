import { describe, expect, it } from 'vitest'
import { decodeHtml, decodeText, decodeTextFile } from './decode-text.ts'

const page = (charset: string, letter: number): Buffer =>
  Buffer.concat([Buffer.from(`<meta charset="${charset}"><p>`), Buffer.from([letter])])

describe('decodeText', () => {
  it('reads UTF-8 with and without a byte order mark, and UTF-16 with one', () => {
    expect(decodeText(Buffer.from('Grüße 日本'), null)).toBe('Grüße 日本')
    expect(decodeText(Buffer.from('\ufeffGrüße'), null)).toBe('Grüße')
    expect(decodeText(Buffer.from('\ufeffGrüße', 'utf16le'), null)).toBe('Grüße')
    expect(decodeText(Buffer.from('\ufeffGrüße', 'utf16le').swap16(), null)).toBe('Grüße')
  })

  it('reads anything that is not UTF-8 as windows-1252', () => {
    expect(decodeText(Buffer.from([0x93, 0x47, 0x72, 0xfc, 0xdf, 0x65, 0x94, 0x20, 0x80]), null)).toBe(
      '“Grüße” €',
    )
  })

  it('keeps the text of UTF-8 with a broken character', () => {
    const broken = Buffer.concat([Buffer.from('Grüße '), Buffer.from([0xc3]), Buffer.from(' 日本')])
    expect(decodeText(broken, null)).toBe('Grüße \ufffd 日本')
    expect(decodeText(broken, 'utf-8')).toBe('Grüße \ufffd 日本')
    expect(decodeText(broken.subarray(0, -1), null)).toBe('Grüße \ufffd 日\ufffd')
  })

  it('uses the encoding that an HTML page declares, if it exists', () => {
    expect(decodeHtml(page('koi8-r', 0xc1), null)).toContain('<p>а')
    expect(decodeHtml(page('no-such', 0xe9), null)).toContain('<p>é')
    expect(decodeText(page('koi8-r', 0xe9), null)).toContain('<p>é')
  })

  it("prefers the declared charset to the page's own, and UTF-8 to both", () => {
    expect(decodeHtml(page('koi8-r', 0xe9), 'windows-1251')).toContain('<p>й')
    expect(decodeHtml(Buffer.from('<meta charset="koi8-r"><p>é'), 'koi8-r')).toContain('<p>é')
  })

  it('reads UTF-8 although it declares a charset whose bytes are all ASCII', () => {
    const japanese = '\u001b$B$3$s$K$A$O\u001b(B'
    const pageOf = (text: string) => `<meta charset="iso-2022-jp"><p>${text}`
    expect(decodeHtml(Buffer.from(pageOf('こんにちは')), null)).toContain('<p>こんにちは')
    expect(decodeText(Buffer.from('こんにちは'), 'iso-2022-jp')).toBe('こんにちは')
    expect(decodeText(Buffer.from('中文'), 'hz-gb-2312')).toBe('中文')
    expect(decodeHtml(Buffer.from(pageOf(japanese)), null)).toContain('<p>こんにちは')
  })

  it('accepts a UTF-16 file with a mark, although half of its bytes are zero', () => {
    expect(decodeTextFile(Buffer.from('\ufeffGrüße', 'utf16le'), null)).toBe('Grüße')
  })

  it('rejects binary data', () => {
    expect(() => decodeTextFile(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), null)).toThrow('binary')
  })
})
