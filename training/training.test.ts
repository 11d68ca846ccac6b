import { describe, expect, it } from 'vitest'

import { associate, OUT_OF_VOCABULARY, PARAGRAPH_END, type SparseMatrix } from './co-occurrence.ts'
import { isProse } from './corpus.ts'
import { decompose } from './decompose.ts'
import { htmlParagraphs, manualParagraphs } from './extract-text.ts'
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

  it('is the positive pointwise mutual information of stems in company, the nearer the more', () => {
    // Pairs: 0-1 at distance 1 twice, 1-2 once at distance 1, 0-2 once at distance 2 (half).
    const ids = Uint32Array.of(0, 1, PARAGRAPH_END, 0, 1, 2)
    const cells = dense(associate(ids, 3, options))
    const all = 2 * (2 + 1 + 0.5)
    expect(cells[0]?.[1]).toBeCloseTo(Math.log((2 * all) / (2.5 * 3)), 6)
    expect(cells[1]?.[2]).toBeCloseTo(Math.log((1 * all) / (3 * 1.5)), 6)
    expect(cells[0]?.[2]).toBe(0)
    expect(cells).toEqual(cells.map((_, column) => cells.map((row) => row[column])))
  })

  it('sees no company across a paragraph’s end, and counts unknown stems as distance', () => {
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

  it('finds eigenpairs by magnitude, negative ones too', () => {
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

describe('extracting text', () => {
  it('takes paragraphs out of HTML and leaves code, scripts and navigation behind', () => {
    const html = `<nav><p>Home</p></nav><h1>Leave</h1>
      <p>Staff <em>accrue</em> days &amp; weeks&nbsp;off.</p><pre>rm -rf</pre><script>let x = '<p>no</p>'</script>
      <p>It&#8217;s simple.</p><!-- hidden -->`
    expect(htmlParagraphs(html).filter((paragraph) => paragraph !== '')).toEqual([
      'Leave',
      'Staff accrue days & weeks off.',
      'It’s simple.',
    ])
  })

  it('reads manual pages as their text', () => {
    const page =
      '.\\" comment\n.SH NAME\nls \\- list directory contents\n.PP\nUse\n.B \\-l\nfor a \\fIlong\\fR list.'
    expect(manualParagraphs(page).filter((paragraph) => paragraph !== '')).toEqual([
      'ls - list directory contents',
      'Use -l for a long list.',
    ])
  })

  it('reads a WordNet synset as its words, its gloss and what it is related to', () => {
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

  it('tells prose from lists and code', () => {
    expect(isProse('The server answers with the first page of the list that you asked for.')).toBe(true)
    expect(isProse('int main void return zero printf hello world stdio include string')).toBe(false)
    expect(isProse('Table of contents')).toBe(false)
  })
})
