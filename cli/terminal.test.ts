import { describe, expect, it } from 'vitest'
import { formatTable, printable, wrapText } from './terminal.ts'

describe('wrapText', () => {
  it('wraps at words, keeps the indentation of lines and leaves no space at their ends', () => {
    const text = 'one two three four five six seven\n\n    code that is indented a lot  '
    expect(wrapText(text, 26, 2)).toBe(
      '  one two three four five\n  six seven\n\n      code that is\n      indented a lot',
    )
  })

  it('breaks a word that is longer than a line, and counts wide characters as two', () => {
    expect(wrapText('x'.repeat(45), 20)).toBe(`${'x'.repeat(20)}\n${'x'.repeat(20)}\nxxxxx`)
    expect(wrapText('漢'.repeat(15), 20)).toBe(`${'漢'.repeat(10)}\n${'漢'.repeat(5)}`)
  })
})

describe('printable', () => {
  it('takes out what could drive a terminal, and nothing else', () => {
    expect(printable('a\u001b[31mb\r\n\tc\u0007\u009bd é 漢')).toBe('a[31mb\n\tcd é 漢')
  })
})

describe('formatTable', () => {
  it('aligns columns by what they take on a screen', () => {
    expect(
      formatTable(
        ['A', 'B'],
        [
          ['漢字', 'x'],
          ['a', ''],
        ],
      ),
    ).toEqual(['A     B', '漢字  x', 'a'])
  })
})
