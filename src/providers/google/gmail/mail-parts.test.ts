import { describe, expect, it } from 'vitest'
import { decodeText } from '../../../file-text/index.ts'
import { partsOf, type MessagePart } from './mail-parts.ts'

const leaf = (mimeType: string, text: string, more: Partial<MessagePart> = {}): MessagePart => ({
  mimeType,
  body: { size: text.length, data: Buffer.from(text).toString('base64url') },
  ...more,
})
const group = (mimeType: string, ...parts: MessagePart[]): MessagePart => ({
  mimeType,
  parts,
  body: { size: 0 },
})
const textsOf = (part: MessagePart) =>
  partsOf(part).texts.map(({ format, bytes }) => `${format}: ${Buffer.from(bytes ?? []).toString()}`)

describe('the parts of a mail', () => {
  it('yield text at any depth, plain before HTML, and attachments', () => {
    const mail = group(
      'multipart/mixed',
      group(
        'multipart/related',
        group('multipart/alternative', leaf('text/plain', 'plain'), leaf('text/html', '<p>rich</p>')),
        leaf('image/png', 'x', { filename: 'logo.png' }),
      ),
      { mimeType: 'application/pdf', filename: 'plan.pdf', body: { size: 9, attachmentId: 'A1' } },
      leaf('text/plain', 'list footer'),
      group('message/rfc822', leaf('text/plain', 'an attached mail')),
    )
    expect(textsOf(mail)).toEqual(['text: plain', 'text: list footer', 'text: an attached mail'])
    expect(partsOf(mail).attachments.map(({ fileName, attachmentId }) => [fileName, attachmentId])).toEqual([
      ['logo.png', null],
      ['plan.pdf', 'A1'],
    ])
  })

  it('fall back to HTML when plain text is missing or blank', () => {
    expect(textsOf(leaf('text/html', '<p>rich</p>'))).toEqual(['html: <p>rich</p>'])
    const alternatives = group(
      'multipart/alternative',
      leaf('text/plain', ' \n'),
      leaf('text/html', '<p>rich</p>'),
    )
    expect(textsOf(alternatives)).toEqual(['html: <p>rich</p>'])
  })

  it('fall back to HTML when plain text only tells the reader to open it', () => {
    const mail = (plain: string, ...more: MessagePart[]) =>
      textsOf(group('multipart/alternative', leaf('text/plain', plain), ...more))
    const html = leaf('text/html', '<p>Your invoice is due.</p>')
    const notice = 'To view this email, open it in your browser: https://mail.example/v?id=1'
    expect(mail(notice, html)).toEqual(['html: <p>Your invoice is due.</p>'])
    expect(mail('This message requires an HTML viewer.', html)).toEqual(['html: <p>Your invoice is due.</p>'])
    expect(mail(notice)).toEqual([`text: ${notice}`])
    expect(mail(notice, leaf('text/html', ' '))).toEqual([`text: ${notice}`])
    const long = `${'Your invoice is due. '.repeat(60)}View in browser`
    expect(mail(long, html)).toEqual([`text: ${long}`])
  })

  it('are read up to a bound when nested too deep or too many', () => {
    let deep = leaf('text/plain', 'too deep')
    for (let depth = 0; depth < 100; depth += 1) deep = group('multipart/mixed', deep)
    const wide = Array.from({ length: 5_000 }, () => leaf('text/plain', 'x'))
    expect(partsOf(deep).texts).toEqual([])
    expect(partsOf(group('multipart/mixed', ...wide)).texts.length).toBeLessThan(300)
  })
})

describe('the name of an attachment', () => {
  it('decodes encoded words and is never empty', () => {
    const named = leaf('application/pdf', 'x', { filename: '=?utf-8?Q?Pl=C3=A4ne=2Epdf?=' })
    const headers = [{ name: 'Content-Disposition', value: 'attachment' }]
    const unnamed = leaf('text/plain', 'x', { filename: '', headers })
    const names = partsOf(group('multipart/mixed', named, unnamed)).attachments.map(
      ({ fileName }) => fileName,
    )
    expect(names).toEqual(['Pläne.pdf', 'unnamed'])
  })
})

describe('text in a charset', () => {
  it('follows its declaration, however quoted', () => {
    const type = (value: string) => leaf('text/plain', 'x', { headers: [{ name: 'content-type', value }] })
    for (const value of [
      'text/plain; charset="gb18030"',
      "text/plain; charset='gb18030'; x=y",
      'text/plain;charset=gb18030',
    ])
      expect(partsOf(type(value)).texts[0]?.charset).toBe('gb18030')
    const chinese = Buffer.from([0xd6, 0xd0, 0xce, 0xc4])
    expect(decodeText(chinese, 'gb18030')).toBe('中文')
    expect(decodeText(Buffer.from('\u001b$B$3$s$K$A$O\u001b(B', 'latin1'), 'ISO-2022-JP')).toBe('こんにちは')
  })

  it('is decoded as declared, as UTF-8 when it is valid UTF-8, and never fails', () => {
    expect(decodeText(Buffer.from('Grüße', 'latin1'), 'iso-8859-1')).toBe('Grüße')
    expect(decodeText(Buffer.from('Grüße'), 'iso-8859-1')).toBe('Grüße')
    expect(decodeText(Buffer.from([0x8f, 0xf0, 0xf2]), 'koi8-r')).not.toContain('\ufffd')
    expect(decodeText(Buffer.from('\u001b$B$3$s$K$A$O\u001b(B', 'latin1'), 'iso-2022-jp')).toBe('こんにちは')
    expect(decodeText(Buffer.from([0xff, 0xfe, 0x41, 0x00]), null)).toBe('A')
    expect(decodeText(Buffer.from([0x93, 0x41, 0x94]), 'no-such-charset')).toBe('“A”')
  })
})
