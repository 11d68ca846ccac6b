import { describe, expect, it } from 'vitest'
import { formatTable, printable, wrapText } from './terminal.ts'

describe('wrapText', () => {
  it('wraps at words, keeps indentation and leaves no trailing spaces', () => {
    const text = 'one two three four five six seven\n\n    code that is indented a lot  '
    expect(wrapText(text, 26, 2)).toBe(
      '  one two three four five\n  six seven\n\n      code that is\n      indented a lot',
    )
  })

  it('breaks a word longer than a line, and counts wide characters as two', () => {
    expect(wrapText('x'.repeat(45), 20)).toBe(`${'x'.repeat(20)}\n${'x'.repeat(20)}\nxxxxx`)
    expect(wrapText('漢'.repeat(15), 20)).toBe(`${'漢'.repeat(10)}\n${'漢'.repeat(5)}`)
  })
})

describe('printable', () => {
  it('removes control sequences, and nothing else', () => {
    expect(printable('a\u001b[31mb\r\n\tc\u0007\u009bd é 漢')).toBe('a[31mb\n\tcd é 漢')
  })
})

describe('formatTable', () => {
  it('aligns columns by their display width', () => {
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
