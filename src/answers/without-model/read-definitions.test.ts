import { describe, expect, it } from 'vitest'
import { readDefinitions, readSettingsInCode } from './read-definitions.ts'

const pairs = (source: string): string[][] | undefined =>
  readDefinitions(source)?.map(({ term, text }) => [term, text])

describe('definitions', () => {
  it('are indented below their term, as in manual pages', () => {
    const source =
      '       -k, --keep-old\n              Do not overwrite files\n              that are there.\n' +
      '       -z, --squeeze LEVEL\n              Compress. The default is 6.'
    expect(pairs(source)).toEqual([
      ['-k, --keep-old', 'Do not overwrite files that are there.'],
      ['-z, --squeeze LEVEL', 'Compress. The default is 6.'],
    ])
    expect(pairs('--tls-cert\n--tls-key\n    Serve over HTTPS.')).toEqual([
      ['--tls-cert, --tls-key', 'Serve over HTTPS.'],
    ])
  })

  it('are in a column beside their term, as in lists of options', () => {
    expect(
      pairs('  -n, --dry-run   copy nothing\n  --delete        remove files\n                  for good'),
    ).toEqual([
      ['-n, --dry-run', 'copy nothing'],
      ['--delete', 'remove files for good'],
    ])
    expect(pairs('  -v    say more')).toEqual([['-v', 'say more']])
  })

  it('are one entry if the text continues in its column, with hyphenated words rejoined', () => {
    expect(pairs('     Port    Listen on this port.  The de\u2010\n             fault is 22.')).toEqual([
      ['Port', 'Listen on this port.  The default is 22.'],
    ])
  })

  it('follow a colon, as in Markdown', () => {
    expect(pairs('`list`\n: Show all\n  queues.\n`kill`\n: End a job.')).toEqual([
      ['`list`', 'Show all queues.'],
      ['`kill`', 'End a job.'],
    ])
  })

  it('are settings with the comment above them', () => {
    expect(pairs('[storage]\n; days that backups\n; are kept\nkeep_daily = 14\nbackend = s3')).toEqual([
      ['\\[storage\\] keep_daily = 14', 'days that backups are kept'],
      ['\\[storage\\] backend = s3', ''],
    ])
  })

  it('are settings in code with comments beside them', () => {
    const code = '[listen]\nport = 5587 # STARTTLS required\nhosts = [\n  "a",\n]\n[log]\nlevel: info'
    expect(readSettingsInCode(code)?.map(({ term, text }) => [term, text])).toEqual([
      ['\\[listen\\] port = 5587', 'STARTTLS required'],
      ['\\[listen\\] hosts = [', ''],
      ['\\[log\\] level: info', ''],
    ])
    expect(readSettingsInCode('# install it\nnpm install\nA=1 npm start\nnpm test')).toBeNull()
  })

  it('are names and values with dots between them', () => {
    expect(pairs('Vaccination, dog .... 68.00\nPassport ..... 25.00\nChip with registration 54.00')).toEqual([
      ['Vaccination, dog', '68.00'],
      ['Passport', '25.00'],
      ['Chip with registration', '54.00'],
    ])
  })

  it.each([
    ['a paragraph', 'The first line of a paragraph\nand its second line.'],
    ['justified text', 'The  first line of a page that was\nset to both  edges of the column'],
    ['a paragraph with a gap', 'Port  is a word here, and the text goes\non in the first column.'],
    ['code', 'const a = 1;\n  const b = 2;'],
    ['settings without comments', 'a = 1\nb = 2'],
    ['a sentence with a list below it', 'These are allowed:\n    one\n    two'],
    ['nothing', ''],
  ])('are not %s', (_what, source) => {
    expect(readDefinitions(source)).toBeNull()
  })
})
