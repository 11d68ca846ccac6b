import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPassages } from './split-passages.ts'

const texts = (content: string): string[] => splitPassages(content).map(({ text }) => text)

describe('the passages of a chunk', () => {
  it('are its sentences, with wrapped lines joined and abbreviations intact', () => {
    const content =
      'Dr. Mara Lind leads the lab, i.e. the whole second floor of the old building in the north of\nthe town. She came in 2019.'
    expect(texts(content)).toEqual([
      'Dr. Mara Lind leads the lab, i.e. the whole second floor of the old building in the north of the town.',
      'She came in 2019.',
    ])
  })

  it('join a line with the link that had no room at its end', () => {
    const link = '[Depot Power-Up](https://boards.example.com/power-ups/55a5d916446f517774210006)'
    expect(texts(`One of the boards you are part of has the\n${link}\nenabled. Remove it.`)).toEqual([
      'One of the boards you are part of has the Depot Power-Up enabled.',
      'Remove it.',
    ])
  })

  it('are the title and text of a note, without its marks', () => {
    const text = 'Gates close at six. Nobody is let in later.'
    for (const mark of [':::info', ':::tip[', '!!! warning "', '??? note "'])
      expect(texts(`${mark}${mark.endsWith('info') ? ' ' : ''}Winter hours\n${text}\n:::`)).toContain(
        'Winter hours',
      )
    const expected = ['Gates close at six.', 'Nobody is let in later.']
    expect(texts(`:::note\n${text}\n:::`)).toEqual(expected)
    expect(texts(`> [!NOTE]\n> ${text}`)).toEqual(expected)
    expect(texts(`<details>\n  <summary>Winter hours</summary>\n\n  ${text}\n</details>`)).toEqual([
      'Winter hours',
      ...expected,
    ])
  })

  it('rejoin a word that a hyphen divides at the end of a line', () => {
    expect(
      texts('       The depot has three gates, and each of them has an indepen\u2010\n       dent lock.'),
    ).toEqual(['The depot has three gates, and each of them has an independent lock.'])
  })

  it('are not the running head or foot of a manual page, which is not a term either', () => {
    const page =
      'TARN(1)                     General Commands Manual                     TARN(1)\n\n' +
      'NAME\n       tarn - pack folders into\n       single files\n\n' +
      'DESCRIPTION\n       The program writes folders into one archive. It overwrites nothing.\n\n' +
      'Depot 4.1                        May 2026                               TARN(1)\n'
    expect(splitPassages(page).map(({ text, term }) => [text, term])).toEqual([
      ['tarn \u2013 pack folders into single files', 'tarn'],
      ['The program writes folders into one archive.', null],
      ['It overwrites nothing.', null],
    ])
    const long =
      'DEPOT-GATE-WATCH.SERVICEdepot-gate-watch.DEPOT-GATE-WATCH.SERVICE(8)\n\nNAME\n       gate - watch it\n'
    expect(texts(long)).toEqual(['gate \u2013 watch it'])
  })

  it('are the code and the text of a list whose items begin with code', () => {
    const list =
      '- ```sh\n  npm install\n  ```\n- Then restart the service.\n\nIt listens on port 8080.\n\n' +
      '1. ~~~\n   npm start\n   ~~~\n'
    expect(splitPassages(list).map(({ kind, text }) => [kind, text])).toEqual([
      ['code', '```sh\n  npm install\n  ```'],
      ['item', 'Then restart the service.'],
      ['sentence', 'It listens on port 8080.'],
      ['code', '~~~\n   npm start\n   ~~~'],
    ])
  })

  it('keep deliberate line breaks, as in chats and addresses', () => {
    expect(texts('Lunch is at noon\nMeet at the gate\nBring cash')).toEqual([
      'Lunch is at noon',
      'Meet at the gate',
      'Bring cash',
    ])
  })

  it('have the headings and the sentence above them', () => {
    const passages = splitPassages(
      '# Travel\n\n## Hotels\n\nThe limits are:\n\n- Berlin: 180 EUR\n- Oslo: 240 EUR\n',
    )
    expect(passages.map(({ text, label }) => [text, label])).toEqual([
      ['Berlin: 180 EUR', 'The limits are:'],
      ['Oslo: 240 EUR', 'The limits are:'],
    ])
    expect(passages[0]?.context).toBe('Travel Hotels The limits are:')
    expect(passages[0]?.group).toBe(passages[1]?.group)
  })

  it('have the sentence that announces a list, even if another follows it', () => {
    const content =
      'Send us the following papers. Drafts are welcome.\n\n1. The form\n2. A letter of your doctor'
    expect(splitPassages(content).map(({ label }) => label)).toEqual([
      null,
      null,
      'Send us the following papers.',
      'Send us the following papers.',
    ])
  })

  it('have the enclosing list item until the list returns to its level', () => {
    const passages = splitPassages('- Leave:\n    - Sick: no limit\n    - Holiday: 28 days\n- Pay: monthly\n')
    expect(passages.map(({ text, label }) => [text, label])).toEqual([
      ['Sick: no limit', 'Leave:'],
      ['Holiday: 28 days', 'Leave:'],
      ['Pay: monthly', null],
    ])
  })

  it('are the rows of a table, each readable alone', () => {
    expect(
      texts('| Plan | Price | Seats |\n|---|--:|---|\n| Basic | 9 EUR | 2 |\n| Team | 29 EUR | |\n'),
    ).toEqual(['Basic – Price: 9 EUR; Seats: 2', 'Team – Price: 29 EUR'])
    const html =
      '<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Basic</td><td><b>9</b> EUR</td></tr></table>'
    expect(texts(html)).toEqual(['Basic – Price: 9 EUR'])
  })

  it('are the entries of a manual page with their terms, and further text belongs to its term', () => {
    const page =
      'OPTIONS\n       -c FILE\n              Read FILE.\n\n       --port PORT\n' +
      `              Listen on this UDP port. ${'It is told at length what that is good for. '.repeat(8)}\n\n` +
      '              The default is 5514.\n'
    const passages = splitPassages(page)
    expect(passages[0]).toMatchObject({ text: '-c FILE – Read FILE.', term: '-c FILE' })
    expect(passages[0]?.context).toContain('OPTIONS')
    expect(passages[1]).toMatchObject({ text: '--port PORT – Listen on this UDP port.', term: '--port PORT' })
    expect(passages.at(-1)).toMatchObject({
      text: 'The default is 5514.',
      term: '--port PORT',
      label: '--port PORT',
    })
  })

  it('are the lines of a chat, one by one', () => {
    expect(texts('Mei: who brings the grill?\nJonas: dmitri\n09:15 Ana: thanks')).toEqual([
      'Mei: who brings the grill?',
      'Jonas: dmitri',
      '09:15 Ana: thanks',
    ])
  })

  it('describe the name in code that is their heading, but no other heading', () => {
    const term = (heading: string) => splitPassages(`## ${heading}\n\nDefault: 72,000 ms`)[0]?.term
    expect(term('keepAliveTimeout')).toBe('keepAliveTimeout')
    expect(term('`cache.get(key)`')).toBe('`cache.get(key)`')
    expect(term('Security')).toBeNull()
    expect(term('Time-outs of the proxy')).toBeNull()
  })

  it('are sentences before code if they make sense without it', () => {
    const code = '\n\n```\ncurl /hooks\n```\n'
    expect(texts(`Admins make webhooks in the console, at most 20 a workspace:${code}`)[0]).toBe(
      'Admins make webhooks in the console, at most 20 a workspace.',
    )
    for (const leadIn of ['To make one:', 'Here is how admins make their own webhooks by the API:'])
      expect(splitPassages(`${leadIn}${code}`).map(({ kind }) => kind)).toEqual(['code'])
  })

  it('are short, complete code blocks, unchanged', () => {
    const code = '```sh\nnpm ci\nnpm start\n```'
    expect(splitPassages(`Run this:\n\n${code}\n`)).toMatchObject([
      { kind: 'code', text: code, label: 'Run this:' },
    ])
    expect(texts('```sh\nnpm ci')).toEqual([])
    expect(texts(`\`\`\`\n${'x = 1\n'.repeat(200)}\`\`\``)).toEqual([])
  })

  it('have the code of HTML in Markdown as code, and the text around it as text', () => {
    const content = `First start it:

<pre><code class="cmd">tarn start

tarn load &lt;file&gt;</code></pre>

It is running idle now, without a configuration. Then ask it:
<pre>tarn ask</pre>

Press the key to stop it.`
    expect(splitPassages(content).map(({ kind, label, text }) => [kind, label, text])).toEqual([
      ['code', 'First start it:', '```\ntarn start\n\ntarn load <file>\n```'],
      ['sentence', null, 'It is running idle now, without a configuration.'],
      ['code', 'Then ask it:', '```\ntarn ask\n```'],
      ['sentence', null, 'Press the key to stop it.'],
    ])
  })

  it('are never blank, whatever the text', () => {
    const piece = fc.constantFrom(
      '# ',
      '- ',
      '|',
      '---',
      '```',
      '\n',
      '\n\n',
      '*',
      '[1]',
      '<td>',
      ':',
      'word ',
      'End. ',
      '    ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const { text } of splitPassages(pieces.join(''))) expect(text.trim()).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it('name the option or entry in a short paragraph above them', () => {
    const page =
      'gc.auto\n\nGit packs loose objects when there are more than this. The default value is 6700.\n\n' +
      '-S --gpg-sign\n\nSigns commits.\n\ndetached head\n\nA state without a branch.'
    expect(texts(page)).toEqual([
      'gc.auto – Git packs loose objects when there are more than this. The default value is 6700.',
      '-S --gpg-sign – Signs commits.',
      'detached head – A state without a branch.',
    ])
  })

  it('treat a short line without a full stop as a title, not as the subject of its text', () => {
    const [title, text] = splitPassages(
      'Leaving the office\n\nWho leaves last locks the door and the window.',
    )
    expect(title).toMatchObject({ text: 'Leaving the office', isTitle: true })
    expect(text).toMatchObject({ context: 'Leaving the office', isTitle: false })
  })
})
