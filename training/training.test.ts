import { describe, expect, it } from 'vitest'

import { associate, OUT_OF_VOCABULARY, PARAGRAPH_END, type SparseMatrix } from './co-occurrence.ts'
import { contrast, type Pairs } from './contrast.ts'
import { isProse } from './corpus.ts'
import { decompose } from './decompose.ts'
import { manualPair, sectionPairs } from './extract-pairs.ts'
import { htmlParagraphs, manualParagraphs } from './extract-text.ts'
import { readCldr, readMo, readPo } from './extract-translations.ts'
import { furtherStems, gatherPairs, pairsInRows } from './pairs.ts'
import { createRandom } from '../src/kernel/seeded-random.ts'
import { readSynsets } from './wordnet.ts'

function dense(matrix: SparseMatrix): number[][] {
  return Array.from({ length: matrix.size }, (_, row) => {
    const cells = Array.from({ length: matrix.size }, () => 0)
    for (let entry = matrix.starts[row] ?? 0; entry < (matrix.starts[row + 1] ?? 0); entry++) {
      cells[matrix.columns[entry] ?? 0] = matrix.values[entry] ?? 0
    }
    return cells
  })
}

function sparse(rows: readonly (readonly number[])[]): SparseMatrix {
  const entries = rows.flatMap((cells) =>
    cells.flatMap((value, column) => (value === 0 ? [] : [{ column, value }])),
  )
  let last = 0
  return {
    size: rows.length,
    starts: Float64Array.from([
      0,
      ...rows.map((cells) => (last += cells.filter((value) => value !== 0).length)),
    ]),
    columns: Uint32Array.from(entries, (entry) => entry.column),
    values: Float32Array.from(entries, (entry) => entry.value),
  }
}

describe('associate', () => {
  const options = { window: 2, smoothing: 1, shift: 0 }

  it('computes the positive pointwise mutual information of neighboring stems, higher for nearer ones', () => {
    // Pairs: 0-1 at distance 1 twice, 1-2 once at distance 1, 0-2 once at distance 2 (half).
    const ids = Uint32Array.of(0, 1, PARAGRAPH_END, 0, 1, 2)
    const cells = dense(associate(ids, 3, options))
    const all = 2 * (2 + 1 + 0.5)
    expect(cells[0]?.[1]).toBeCloseTo(Math.log((2 * all) / (2.5 * 3)), 6)
    expect(cells[1]?.[2]).toBeCloseTo(Math.log((1 * all) / (3 * 1.5)), 6)
    expect(cells[0]?.[2]).toBe(0)
    expect(cells).toEqual(cells.map((_, column) => cells.map((row) => row[column])))
  })

  it('does not cross the end of a paragraph, and counts unknown stems as distance', () => {
    expect(associate(Uint32Array.of(0, PARAGRAPH_END, 1), 2, options).columns.length).toBe(0)
    expect(
      associate(Uint32Array.of(0, OUT_OF_VOCABULARY, OUT_OF_VOCABULARY, 1), 2, options).columns.length,
    ).toBe(0)
    expect(associate(Uint32Array.of(0, OUT_OF_VOCABULARY, 1), 2, options).columns.length).toBe(2)
  })
})

describe('decompose', () => {
  const matrix = sparse([
    [4, 1, 0, 0, 2],
    [1, 3, 0, 1, 0],
    [0, 0, -5, 0, 0],
    [0, 1, 0, 1, 0],
    [2, 0, 0, 0, 2],
  ])

  it('finds eigenpairs by magnitude, including negative ones', () => {
    const { values, vectors } = decompose(matrix, 3, { rounds: 30, extra: 2 })
    const cells = dense(matrix)
    expect(Math.abs(values[0] ?? 0)).toBeGreaterThanOrEqual(Math.abs(values[1] ?? 0))
    expect(values[1]).toBeCloseTo(-5, 6)
    for (let k = 0; k < 3; k++) {
      const vector = cells.map((_, row) => vectors[row * 3 + k] ?? 0)
      const image = cells.map((row) =>
        row.reduce((sum, cell, column) => sum + cell * (vector[column] ?? 0), 0),
      )
      for (const [row, one] of image.entries())
        expect(one).toBeCloseTo((values[k] ?? 0) * (vector[row] ?? 0), 5)
    }
  })

  it('gives the same bits for the same seed', () => {
    expect(decompose(matrix, 2, { rounds: 3, extra: 2 })).toEqual(
      decompose(matrix, 2, { rounds: 3, extra: 2 }),
    )
  })
})

describe('text extraction', () => {
  it('extracts paragraphs from HTML without code, scripts and navigation', () => {
    const html = `<nav><p>Home</p></nav><h1>Leave</h1>
      <p>Staff <em>accrue</em> days &amp; weeks&nbsp;off.</p><pre>rm -rf</pre><script>let x = '<p>no</p>'</script>
      <p>It&#8217;s simple.</p><!-- hidden -->`
    expect(htmlParagraphs(html).filter((paragraph) => paragraph !== '')).toEqual([
      'Leave',
      'Staff accrue days & weeks off.',
      'It’s simple.',
    ])
  })

  it('reads the text of manual pages', () => {
    const page =
      '.\\" comment\n.SH NAME\nls \\- list directory contents\n.PP\nUse\n.B \\-l\nfor a \\fIlong\\fR list.'
    expect(manualParagraphs(page).filter((paragraph) => paragraph !== '')).toEqual([
      'ls - list directory contents',
      'Use -l for a long list.',
    ])
  })

  it('reads a WordNet synset: words, gloss and related words', () => {
    const pointers = '003 @ 00000100 n 0000 ! 00000200 n 0101 & 00000300 s 0000'
    const line = `00001740 03 n 02 paid_leave 0 time_off(a) 0 ${pointers} | time during which you are excused  `
    expect([...readSynsets(`  1 licence\n${line}\n`)]).toEqual([
      {
        key: 'n00001740',
        words: ['paid leave', 'time off'],
        related: ['n00000100', 'a00000300'],
        gloss: 'time during which you are excused',
      },
    ])
  })

  it('distinguishes prose from lists and code', () => {
    expect(isProse('The server answers with the first page of the list that you asked for.')).toBe(true)
    expect(isProse('int main void return zero printf hello world stdio include string')).toBe(false)
    expect(isProse('Table of contents')).toBe(false)
  })
})

describe('pairs', () => {
  it('are headings with the text below, without short blocks', () => {
    const blocks = [
      'lost before any heading, because nothing names it',
      '\u0001Leave¶',
      'Staff accrue two days off in each month.',
    ]
    expect(sectionPairs([...blocks, 'Table 1', '\u0001Empty', '\u0001Pay'])).toEqual([
      { kind: 'heading', left: 'Leave', right: ' Staff accrue two days off in each month.' },
    ])
  })

  it('are the name of a manual page with its description', () => {
    const page =
      '.SH NAME\nls \\- list directory contents\n.SH DESCRIPTION\nList information about files.\n.SH BUGS\nNone.'
    expect([...manualPair(page)]).toEqual([
      { kind: 'name', left: 'ls - list directory contents', right: 'List information about files.' },
    ])
    expect([...manualPair('.SH NAME\nls')]).toEqual([])
  })

  it('are gettext messages, as text without fuzzy ones and in binary form', () => {
    const text = `msgid ""\nmsgstr "Language: de"\n\n#, fuzzy\nmsgid "Open"\nmsgstr "Zu"\n
msgid ""\n"Delete "\n"the \\"file\\""\nmsgstr "Datei löschen"\n\nmsgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] "%d Tag"\nmsgstr[1] "%d Tage"\n`
    expect([...readPo(text)]).toEqual([
      ['Delete the "file"', 'Datei löschen'],
      ['%d day', '%d Tag'],
    ])
    const bytes = Buffer.alloc(44)
    const strings = Buffer.from('menu\u0004Open\0Öffnen\0')
    for (const [at, value] of [
      [8, 1],
      [12, 28],
      [16, 36],
      [28, 9],
      [32, 44],
      [36, 7],
      [40, 54],
    ] as const)
      bytes.writeUInt32LE(value, at)
    expect([...readMo(Buffer.concat([bytes, strings]))]).toEqual([['Open', 'Öffnen']])
  })

  it('are CLDR names by code', () => {
    const xml =
      '<territory type="DE">Deutschland</territory><currency type="EUR">\n<displayName>Euro</displayName>'
    const annotations =
      '<annotation cp="🐕">Hund | Tier</annotation><annotation cp="🐕" type="tts">Hund</annotation>'
    expect([...readCldr(xml + annotations)]).toEqual([
      ['territory DE', 'Deutschland'],
      ['currency EUR', 'Euro'],
      ['🐕', 'Hund   Tier Hund'],
    ])
  })

  it('are numbered by stems, without stop words of any language and without empty sides', () => {
    const pairs = gatherPairs([
      { kind: 'message', left: 'Delete the files', right: 'Die Dateien löschen' },
      { kind: 'message', left: 'the file', right: 'nicht der' },
      { kind: 'message', left: 'file, file', right: 'Dateien' },
      { kind: 'gloss', left: 'file', right: 'a file' },
    ])
    expect(pairs.names).toEqual(['delet', 'file', 'die', 'dateien', 'loschen'])
    expect(furtherStems(pairs, ['file'], 5)).toEqual(['dateien'])
    const { left, right, shares } = pairsInRows(pairs, ['file', 'dateien'])
    expect([...left.rows, ...right.rows]).toEqual([0, 0, 1, 1])
    expect([...left.counts]).toEqual([1, Math.fround(Math.SQRT2)])
    expect(shares.length).toBe(2)
  })
})

describe('contrast', () => {
  const pairsOf = (count: number): Pairs => {
    const texts = (from: number) => ({
      starts: Uint32Array.from({ length: count + 1 }, (_, n) => n),
      rows: Uint32Array.from({ length: count }, (_, n) => from + n),
      counts: new Float32Array(count).fill(1),
    })
    return { left: texts(0), right: texts(count), shares: new Float64Array(count).fill(1) }
  }
  const options = { draws: 8_000, batch: 8, temperature: 0.1, rate: 0.02 }
  const learned = (): Float32Array => {
    const random = createRandom(7)
    const vectors = Float32Array.from({ length: 32 * 256 }, () => random() - 0.5)
    contrast(vectors, pairsOf(16), options, () => {})
    return vectors
  }
  const cosine = (vectors: Float32Array, a: number, b: number): number => {
    const row = (n: number): Float32Array => vectors.subarray(256 * n, 256 * (n + 1))
    const dot = (x: Float32Array, y: Float32Array): number =>
      x.reduce((sum, one, i) => sum + one * (y[i] ?? 0), 0)
    return dot(row(a), row(b)) / Math.sqrt(dot(row(a), row(a)) * dot(row(b), row(b)))
  }

  it('brings related texts nearer than any others, bit for bit the same each time', () => {
    const vectors = learned()
    for (let pair = 0; pair < 16; pair++) {
      const others = Array.from({ length: 16 }, (_, n) => (n === pair ? -1 : cosine(vectors, pair, 16 + n)))
      expect(cosine(vectors, pair, 16 + pair)).toBeGreaterThan(Math.max(...others) + 0.2)
    }
    expect(learned()).toEqual(vectors)
  })
})
