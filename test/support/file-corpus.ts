import JSZip from 'jszip'
import { presentationOf, workbookOf } from '../../emulators/google/file-formats.ts'
import type { TextFormat } from '../../src/file-text/index.ts'
import { pngOf } from './images.ts'
import { below, mutate } from './mutate.ts'
import { sampleDocx, sampleOdt, samplePdf } from './sample-files.ts'

const MAIL = [
  'From: =?utf-8?Q?Ana_L=C3=B3pez?= <ana@example.com>',
  'To: "Team, all" <team@example.com>, bo@example.com',
  'Date: Tue, 4 Mar 2025 10:00:00 +0100',
  'Subject: =?utf-8?B?T2ZmaWNlIG1vdmU=?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="x"',
  '',
  '--x',
  'Content-Type: multipart/alternative; boundary=y',
  '',
  '--y',
  'Content-Type: text/plain; charset=iso-8859-1; format=flowed',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'We move on the 4th =96 be there.=20',
  '',
  '> When do we move?',
  '--y',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  'PGgxPk9mZmVyPC9oMT48cD5Ob3cgPGI+aGFsZjwvYj4gb2ZmLjwvcD4=',
  '--y--',
  '--x',
  'Content-Type: message/rfc822',
  '',
  'From: bo@example.com',
  'Subject: Inner',
  '',
  'Inner text.',
  '--x',
  'Content-Type: application/pdf; name="plan.pdf"',
  'Content-Disposition: attachment; filename="plan.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0=',
  '--x--',
].join('\r\n')

const HTML = `<!DOCTYPE html><html lang="en"><head><meta charset="windows-1252"><title>Rules &amp; plans</title>
<style>p { color: red }</style><script>if (a < b) c()</script></head><body><nav>Menu</nav><main><h1 id="a">Rules</h1>
<p>One <b>bold</b> <a href="https://example.com/?a=1&amp;b=2">link</a>.</p><ul><li>First<ol><li>Inner</li></ol></li></ul>
<table><caption>Costs</caption><thead><tr><th colspan="2">Item</th><th rowspan=2>Cost</th></tr></thead><tbody><tr><td>Desk</td><td>2</td></tr></tbody></table>
<pre><code class="language-sh">npm  test</code></pre><img src="x.png" alt="A picture"><!-- comment --><svg><title>no</title></svg></main></body></html>`

const MARKDOWN = `---
title: "Handbook"
tags: [a, b]
---

# Handbook

Text with *emphasis*, \`code\`, [a link](https://example.com "title") and ![picture](data:image/png;base64,AAAA).

- one
  - two
    1. three

| Item | Cost |
|:-----|-----:|
| Desk | 1,234 |

> Quoted
> - list

\`\`\`js
const a = "|"
\`\`\`

[ref]: https://example.com
<details><summary>More</summary>Inside</details>
`

const RST = `========
Handbook
========

:Author: Ana

Text with *emphasis*, \`\`code\`\` and \`a link <https://example.com>\`_.

.. code-block:: sh

   npm test

.. list-table:: Costs
   :header-rows: 1

   * - Item
     - Cost

+------+------+
| Item | Cost |
+======+======+
| Desk | 12   |
+------+------+
`

const CSV = 'Item;Cost;"Due ""date"""\r\nDesk;1234,5;2025-03-01\r\n"two\nlines";;\r\n\tTab,comma;x;y\r\n'

const ODT_BODY = `<text:h text:outline-level="2">Rules</text:h><text:p>One <text:span>two</text:span><text:s text:c="3"/><text:tab/><text:line-break/></text:p>
<text:list><text:list-item><text:p>First</text:p></text:list-item></text:list><table:table table:name="Costs"><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>Desk</text:p></table:table-cell></table:table-row></table:table>`

/** Small, whole files of each format. */
export async function fileCorpus(): Promise<Record<TextFormat, Buffer[]>> {
  return {
    pdf: [samplePdf('Leave is 25 days.', 'Rules'), samplePdf('')],
    image: [pngOf({ width: 120, height: 40, gray: new Uint8Array(120 * 40).fill(255) })],
    word: [await sampleDocx('Rules', 'Leave is 25 days.')],
    excel: [
      Buffer.from(
        workbookOf([
          {
            name: 'Budget & plan',
            rows: [['Item', 'Cost', 'Due'], [], ['Desks', 1234.5, new Date('2025-03-01')]],
          },
          { name: 'People', rows: [['Ana\nLima', ' Köln  ']] },
        ]),
      ),
    ],
    powerpoint: [Buffer.from(presentationOf([{ title: 'Plan', lines: ['One', 'Two'], notes: 'Say it.' }]))],
    odt: [await sampleOdt(ODT_BODY)],
    mail: [Buffer.from(MAIL)],
    html: [Buffer.from(HTML)],
    markdown: [Buffer.from(MARKDOWN)],
    rst: [Buffer.from(RST)],
    csv: [Buffer.from(CSV), Buffer.from('a\tb\n1\t2\n')],
    text: [
      Buffer.from('Plain text.\n\nSecond paragraph – with a dash.'),
      Buffer.from('\ufeffUTF-16', 'utf16le'),
    ],
  }
}

/**
 * A changed file. In archives, mostly the content is changed and packed again, because a changed archive seldom
 * passes its checksums.
 */
export async function mutateFile(bytes: Buffer, random: () => number): Promise<Buffer> {
  const isArchive = bytes.subarray(0, 2).toString() === 'PK'
  if (!isArchive || random() < 0.2) return mutate(bytes, random)
  const archive = await JSZip.loadAsync(bytes)
  const names = Object.values(archive.files).flatMap(({ dir, name }) => (dir ? [] : [name]))
  const name = names[below(names.length, random)] ?? ''
  const content = await archive.file(name)?.async('nodebuffer')
  if (random() < 0.1) archive.remove(name)
  else archive.file(name, mutate(content ?? Buffer.alloc(0), random))
  return await archive.generateAsync({
    type: 'nodebuffer',
    compression: random() < 0.5 ? 'STORE' : 'DEFLATE',
  })
}
