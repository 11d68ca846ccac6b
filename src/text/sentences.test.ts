import { describe, expect, it } from 'vitest'
import { sentenceStarts } from './sentences.ts'

function sentences(text: string): string[] {
  const starts = sentenceStarts(text, 0, text.length)
  return starts.map((start, index) => text.slice(start, starts[index + 1] ?? text.length).trim())
}

describe('sentenceStarts', () => {
  it.each([
    ['Ask Dr. Smith. He knows.', ['Ask Dr. Smith.', 'He knows.']],
    ['It is J. R. Smith here. Yes.', ['It is J. R. Smith here.', 'Yes.']],
    ['Use a tool, e.g. Git. Then go on.', ['Use a tool, e.g. Git.', 'Then go on.']],
    ['See Fig. 3 and No. 5. The answer is no. Go.', ['See Fig. 3 and No. 5.', 'The answer is no.', 'Go.']],
    ['It costs 3.50 now. Buy v1.2.3!', ['It costs 3.50 now.', 'Buy v1.2.3!']],
    [
      'He said "Stop!" and left. "Why?" She laughed.',
      ['He said "Stop!" and left.', '"Why?"', 'She laughed.'],
    ],
    ['Wait... what? Really.', ['Wait... what?', 'Really.']],
    ['1. First do this. Then that.', ['1. First do this.', 'Then that.']],
    ['Das ist z.B. Wien, vgl. Abb. 2. Schön.', ['Das ist z.B. Wien, vgl. Abb. 2.', 'Schön.']],
    ['Bien sûr ! Où est M. Dupont ?', ['Bien sûr !', 'Où est M. Dupont ?']],
    ['今天天气很好。我们去公园吧！好吗？', ['今天天气很好。', '我们去公园吧！', '好吗？']],
    ['यह पहला है। यह दूसरा है।', ['यह पहला है।', 'यह दूसरा है।']],
    ['هل أنت بخير؟ نعم.', ['هل أنت بخير؟', 'نعم.']],
    ['It costs EUR 96 excl. VAT now. Pay it.', ['It costs EUR 96 excl. VAT now.', 'Pay it.']],
    ['no terminators at all', ['no terminators at all']],
  ])('splits %j', (text, expected) => {
    expect(sentences(text)).toEqual(expected)
  })

  it("follows Unicode's sentence rules on prose without abbreviations", () => {
    const text =
      'The service keeps documents. Callers find them in three ways! Is that enough? Most say yes; some (few) do not. ' +
      'Ήταν μια κρύα νύχτα. Все спали. Él no vino. "It rained," he wrote. Then version 2.0 came. ¿Qué pasa? Nada.'
    const unicode = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(
      (part) => part.index,
    )
    expect(sentenceStarts(text, 0, text.length)).toEqual(unicode)
  })
})
