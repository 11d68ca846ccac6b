import { describe, expect, it } from 'vitest'
import { citedSentences, statementsCiting } from './cited-sentences.ts'

const DOCUMENT = `Vacation
Employees accrue 25 days of paid time off per year. Unused days expire in March.
Parking
Visitors park on level two. Employees park on level one.`

const cited = (statements: string[], passage = '', text = DOCUMENT): string[] =>
  citedSentences(text, { statements, passage }).map(({ from, to }) => text.slice(from, to))

describe('the statements that cite a passage', () => {
  it('are the text between the previous marker and its own', () => {
    const answer = 'Days expire in March. [1][2] You get 25 [2].\n- Level two. [3]\nNothing cited'
    expect(statementsCiting(answer, 2)).toEqual(['Days expire in March.', 'You get 25'])
    expect(statementsCiting(answer, 3)).toEqual(['- Level two.'])
    expect(statementsCiting(answer, 9)).toEqual([])
  })

  it('is one statement if one of the markers is open', () => {
    const answer = 'You get 25. [1] Level two. [2][1]\n[1] Days expire in March. [1]'
    expect([1, 2, 3, 4, 5].map((mention) => statementsCiting(answer, 1, mention))).toEqual([
      ['You get 25.'],
      ['Level two.'],
      [],
      ['Days expire in March.'],
      [],
    ])
  })
})

describe('the cited sentences of a document', () => {
  it('are only those that the statement quotes', () => {
    expect(cited(['Unused days expire in March.'])).toEqual(['Unused days expire in March.'])
    expect(
      cited(['Employees accrue 25 days of paid time off per year. Unused days expire in March.']),
    ).toEqual(['Employees accrue 25 days of paid time off per year.', 'Unused days expire in March.'])
  })

  it('are not similar ones, nor the title, if the statement repeats one unchanged', () => {
    const text = `Release train notes
Please keep the notes about the release train in one place, Ines will own them.
The contract ends in May. Please keep the notes about the release train in one place, Hiro will own them.`
    const sentence = 'Please keep the notes about the release train in one place, Hiro will own them.'
    expect(cited([`Release train notes: ${sentence}`], '', text)).toEqual([sentence])
    expect(cited([sentence], '', text)).toEqual([sentence])
  })

  it('are the most similar one if a model paraphrased it', () => {
    expect(cited(['You get 25 days of paid time off.'])).toEqual([
      'Employees accrue 25 days of paid time off per year.',
    ])
  })

  it('are found in the passage that was read', () => {
    expect(
      cited(['Employees park below'], 'Visitors park on level two. Employees park on level one.'),
    ).toEqual(['Employees park on level one.'])
  })

  it('are one sentence of the passage even if a model shares few of its words', () => {
    const statement = 'Leave that nobody took by then is lost in March, so plan ahead with the team.'
    const passage = DOCUMENT.split('\n').slice(0, 2).join('\n')
    expect(cited([statement], passage)).toEqual(['Unused days expire in March.'])
    expect(cited([statement])).toEqual([])
  })

  it('are found outside the passage if the statement quotes them, without short lines', () => {
    const text = 'Park\nVisitors park on level two.\nPark'
    expect(cited(['To park: Unused days expire in March.'], text, DOCUMENT)).toEqual([
      'Unused days expire in March.',
    ])
    expect(cited(['Nothing like it'], text, `${text}\nOther words.\nPark`)).toEqual([text])
  })

  it('are the whole passage if no sentence is similar, with any Markdown', () => {
    expect(cited(['Something else entirely'], '## Parking\n**Visitors** park on level two.')).toEqual([
      'Parking\nVisitors park on level two.',
    ])
    expect(cited(['Something else entirely'])).toEqual([])
  })
})
