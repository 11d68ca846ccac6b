import { describe, expect, it } from 'vitest'
import { ChooserModel, scorePassages } from '../src/answers/without-model/chooser-model.ts'
import { createRandom } from '../src/kernel/seeded-random.ts'
import { type Example, fitChooser, shareRight } from './fit-chooser.ts'

/** "how long" is answered by a number with a unit, "who" by a name; the features are the same. */
function examplesOf(subjects: readonly string[]): Example[] {
  return subjects.flatMap((source) =>
    ['how long is it', 'who is it'].map((question) => ({
      question,
      source,
      passages: ['unit', 'fullName', 'code'].map((name) => ({ features: [0.5], classes: [name] })),
      answers: ['unit', 'fullName', 'code'].map(
        (name) => name === (question.startsWith('how') ? 'unit' : 'fullName'),
      ),
    })),
  )
}
const examples = examplesOf(Array.from({ length: 60 }, (_, at) => `subject ${at}`))

describe('fitting the chooser', () => {
  it('learns which questions ask for which class of tokens', () => {
    const model = ChooserModel.parse(fitChooser(['own'], examples, createRandom(1)))
    const share = shareRight(examples, ({ question, passages }) => scorePassages(question, passages, model))
    expect(share).toBe(1)
  })

  it('gives the same weights for the same examples', () => {
    const fit = (): unknown => fitChooser(['own'], examples.slice(0, 20), createRandom(1))
    expect(fit()).toEqual(fit())
  })
})
