import { describe, expect, it } from 'vitest'
import { citedSentences, statementsCiting } from './cited-sentences.ts'

const DOCUMENT = `Vacation
Employees accrue 25 days of paid time off per year. Unused days expire in March.
Parking
Visitors park on level two. Employees park on level one.`

const cited = (statements: string[], passage = '', text = DOCUMENT): string[] =>
  citedSentences(text, { statements, passage }).map(({ from, to }) => text.slice(from, to))

describe('the statements that cite a passage', () => {
  it('are what stands before its marker, from the marker before on', () => {
    const answer = 'Days expire in March. [1][2] You get 25 [2].\n- Level two. [3]\nNothing cited'
    expect(statementsCiting(answer, 2)).toEqual(['Days expire in March.', 'You get 25'])
    expect(statementsCiting(answer, 3)).toEqual(['- Level two.'])
    expect(statementsCiting(answer, 9)).toEqual([])
  })
})

describe('the cited sentences of a document', () => {
  it('are those that the statement quotes, and no others of the passage', () => {
    expect(cited(['Unused days expire in March.'])).toEqual(['Unused days expire in March.'])
    expect(
      cited(['Employees accrue 25 days of paid time off per year. Unused days expire in March.']),
    ).toEqual(['Employees accrue 25 days of paid time off per year.', 'Unused days expire in March.'])
  })

  it('are the nearest one where a model has put it in its own words', () => {
    expect(cited(['You get 25 days of paid time off.'])).toEqual([
      'Employees accrue 25 days of paid time off per year.',
    ])
  })

  it('are looked for in the passage that was read', () => {
    expect(
      cited(['Employees park below'], 'Visitors park on level two. Employees park on level one.'),
    ).toEqual(['Employees park on level one.'])
  })

  it('are found outside of the passage where the statement quotes them, and short lines do not count', () => {
    const text = 'Park\nVisitors park on level two.\nPark'
    expect(cited(['To park: Unused days expire in March.'], text, DOCUMENT)).toEqual([
      'Unused days expire in March.',
    ])
    expect(cited(['Nothing like it'], text, `${text}\nOther words.\nPark`)).toEqual([text])
  })

  it('are all of the passage where no sentence is near, whatever its marks of Markdown', () => {
    expect(cited(['Something else entirely'], '## Parking\n**Visitors** park on level two.')).toEqual([
      'Parking\nVisitors park on level two.',
    ])
    expect(cited(['Something else entirely'])).toEqual([])
  })
})
