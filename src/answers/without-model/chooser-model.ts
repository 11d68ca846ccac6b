import { z } from 'zod'
import stored from './chooser-weights.json' with { type: 'json' }

/** Each vector is stored as one string, which keeps the file readable. */
const Numbers = z.string().transform((text) => text.split(' ').map(Number))

export const ChooserModel = z.object({
  /** The features of a passage, in order. */
  features: z.array(z.string()),
  /** The embedding of each word or pair of words of a question. */
  asked: z.record(z.string(), Numbers),
  /** The embedding of each token class of a passage, followed by its own weight. */
  said: z.record(z.string(), Numbers),
  /** The weight of each input in the linear part. */
  direct: Numbers,
  /** The hidden units: input weights, bias, and output weight, in this order. */
  hidden: z.array(Numbers),
})

/** A small network that scores passages from their features and the question's words. */
export type ChooserModel = z.infer<typeof ChooserModel>

const CHOOSER: ChooserModel = ChooserModel.parse(stored)

export interface Described {
  /** In the model's order. */
  features: readonly number[]
  /** The passage's token classes. */
  classes: readonly string[]
}

/** The weight of the agreement between question and passage, relative to their embeddings. */
export const AGREEMENT = 4
const QUESTION_WORDS_MAX = 30

/** The words of a question, its pairs of neighboring words, and its first word, marked with `^`. */
export function askedGrams(question: string): string[] {
  const words = question
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}'-]{1,40}/gu)
    .take(QUESTION_WORDS_MAX)
    .map(([word]) => word)
    .toArray()
  const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`)
  const first = words.slice(0, 1).map((word) => `^${word}`)
  return [...new Set([...words, ...pairs, ...first])]
}

/** The sum of the known embeddings, scaled by their number. */
function embed(
  names: readonly string[],
  table: Readonly<Record<string, readonly number[]>>,
  size: number,
): Float64Array {
  const known = names.flatMap((name) => (Object.hasOwn(table, name) ? [table[name] ?? []] : []))
  const sum = new Float64Array(size)
  for (const vector of known) for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  const scale = 1 / Math.sqrt(Math.max(1, known.length))
  return sum.map((value) => value * scale)
}

/** The inputs of the network: the features, their distance from the highest of all passages, and the embeddings. */
function inputsOf(
  features: readonly number[],
  highest: readonly number[],
  asked: Float64Array,
  said: Float64Array,
): Float64Array {
  const [count, size] = [features.length, asked.length]
  const inputs = new Float64Array(2 * count + 3 * size)
  for (let at = 0; at < count; at++) {
    const value = features[at] ?? 0
    inputs[at] = value
    inputs[count + at] = value - (highest[at] ?? 0)
  }
  for (let at = 0; at < size; at++) {
    const [one = 0, other = 0] = [asked[at], said[at]]
    inputs[2 * count + at] = one
    inputs[2 * count + size + at] = other
    inputs[2 * count + 2 * size + at] = one * other
  }
  return inputs
}

export function highestOf(passages: readonly Described[]): number[] {
  const [first] = passages
  return (first?.features ?? []).map((_, at) =>
    passages.reduce((highest, { features }) => Math.max(highest, features[at] ?? 0), -Infinity),
  )
}

/** Scores the passages of one question. The scores' exponentials are proportional to the likelihoods. */
export function scorePassages(question: string, passages: readonly Described[], model = CHOOSER): number[] {
  const size = Object.values(model.asked)[0]?.length ?? 0
  const asked = embed(askedGrams(question), model.asked, size)
  const highest = highestOf(passages)
  return passages.map(({ features, classes }) => {
    const said = embed(classes, model.said, size)
    const inputs = inputsOf(features, highest, asked, said)
    let score = dot(model.direct, inputs)
    for (let at = 0; at < size; at++) score += AGREEMENT * (asked[at] ?? 0) * (said[at] ?? 0)
    for (const name of classes) score += model.said[name]?.[size] ?? 0
    for (const unit of model.hidden) {
      const [bias = 0, output = 0] = [unit[inputs.length], unit[inputs.length + 1]]
      score += output * Math.max(0, dot(unit, inputs) + bias)
    }
    return score
  })
}

/** The dot product over the length of the inputs. */
function dot(weights: readonly number[], inputs: Float64Array): number {
  let sum = 0
  for (let at = 0; at < inputs.length; at++) sum += (weights[at] ?? 0) * (inputs[at] ?? 0)
  return sum
}
