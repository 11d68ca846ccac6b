import { describe, expect, it } from 'vitest'
import { testTerms } from '../test/support/term-weights.ts'
import { evaluateWords } from './evaluate-words.ts'

describe('the words of questions', () => {
  it('are those outside the subject; the heavy ones count as rare', () => {
    const terms = { ...testTerms, backgroundWeight: (stem: string) => (stem === 'puedo' ? 8 : 1) }
    const questions = [
      { text: 'donde puedo aparcar', subject: ['aparcar'] },
      { text: 'donde puedo', subject: [] },
    ]
    expect(evaluateWords({ name: 'x', questions }, terms)).toEqual({
      collection: 'x',
      questions: 2,
      words: 4,
      rare: 2,
      weight: 18 / 19,
    })
  })
})
