import { describe, expect, it } from 'vitest'
import { splitPassages } from './split-passages.ts'

const FILE = `# Where the server listens. If the port is 0, it
# does not listen on TCP.
port 6379

############################## SNAPSHOTS ##############################

# Saves the data to disk. It saves by default:
#   * after an hour, if at least 1 change was made
#   * after 5 minutes, if at least 100 changes were made
#
# save 3600 1
`

describe('the passages of a commented configuration file', () => {
  it('are the comments as text, a short one with the setting below it', () => {
    const passages = splitPassages(FILE).map(({ kind, text, term }) => ({ kind, text, term }))
    expect(passages.slice(0, 1)).toEqual([
      {
        kind: 'row',
        text: 'port 6379 – Where the server listens. If the port is 0, it does not listen on TCP.',
        term: 'port 6379',
      },
    ])
    expect(passages.map(({ text }) => text)).toContain('after 5 minutes, if at least 100 changes were made')
    expect(passages.map(({ text }) => text)).not.toContain('SNAPSHOTS')
  })

  it('are read at once, however many marks a line has', () => {
    const marks = '#  '.repeat(1_300)
    const passages = splitPassages(`${marks}The first comment.\n${marks}The second comment.`)
    expect(passages.map(({ text }) => text)).toEqual(['The first comment.', 'The second comment.'])
  })

  it('leave the headings of Markdown unchanged', () => {
    expect(splitPassages('# Depot\n## Gates\n\nThere are three gates.').map(({ text }) => text)).toEqual([
      'There are three gates.',
    ])
  })
})
