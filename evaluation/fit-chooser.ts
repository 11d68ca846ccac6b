import { askedGrams, type Described, highestOf } from '../src/answers/index.ts'
import { createNetwork, learn, type Prepared, store, type StoredChooser, update } from './chooser-network.ts'

/** A question with the passages to choose from. */
export interface Example {
  question: string
  /** What it is about, such as the product of a manual, so that words of one subject aren't learned. */
  source: string
  passages: readonly Described[]
  /** Which passages answer; at least one. */
  answers: readonly boolean[]
}

const EPOCHS = 30
const BATCH = 64
const RATE = 3e-3
/** Words of questions that are learned: asked this often, about this many subjects. */
const TIMES_MIN = 8
const SOURCES_MIN = 4

/**
 * Trains the network so that the passages that answer get most of a softmax over all passages of a question.
 * Deterministic for the same examples in the same order.
 */
export function fitChooser(
  features: readonly string[],
  examples: readonly Example[],
  random: () => number,
): StoredChooser {
  const grams = commonGrams(examples)
  const classes = [
    ...new Set(examples.flatMap(({ passages }) => passages.flatMap((one) => one.classes))),
  ].toSorted()
  const network = createNetwork(grams.length, classes.length, features.length, random)
  const prepared = examples.map((example) => prepareExample(example, grams, classes))
  const order = prepared.map((_, at) => at)
  const steps = EPOCHS * Math.ceil(order.length / BATCH)
  let step = 0
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random)
    for (let from = 0; from < order.length; from += BATCH) {
      const batch = order.slice(from, from + BATCH)
      network.gradient.fill(0)
      for (const at of batch) {
        const one = prepared[at]
        if (one !== undefined) learn(network, one, batch.length, random)
      }
      update(network, RATE * (1 - step / steps), ++step)
    }
  }
  return store(network, { grams, classes, features })
}

/** The share of examples whose best passage answers. */
export function shareRight(examples: readonly Example[], score: (example: Example) => number[]): number {
  const right = examples.filter((example) => {
    const scores = score(example)
    return example.answers[scores.indexOf(Math.max(...scores))]
  })
  return right.length / Math.max(1, examples.length)
}

function commonGrams(examples: readonly Example[]): string[] {
  const seen = new Map<string, { times: number; sources: Set<string> }>()
  for (const { question, source } of examples) {
    for (const gram of askedGrams(question)) {
      const one = seen.get(gram) ?? { times: 0, sources: new Set<string>() }
      one.times++
      one.sources.add(source)
      seen.set(gram, one)
    }
  }
  return [...seen]
    .filter(([, { times, sources }]) => times >= TIMES_MIN && sources.size >= SOURCES_MIN)
    .map(([gram]) => gram)
    .toSorted()
}

function indexesOf(names: readonly string[], all: readonly string[]): number[] {
  return names.map((name) => all.indexOf(name)).filter((at) => at !== -1)
}

function prepareExample(
  { question, passages, answers }: Example,
  grams: readonly string[],
  classes: readonly string[],
): Prepared {
  const highest = highestOf(passages)
  return {
    asked: indexesOf(askedGrams(question), grams),
    passages: passages.map((passage, at) => ({
      inputs: Float64Array.from([
        ...passage.features,
        ...passage.features.map((value, n) => value - (highest[n] ?? 0)),
      ]),
      classes: indexesOf(passage.classes, classes),
      answers: answers[at] ?? false,
    })),
  }
}

function shuffle(order: number[], random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [a = 0, b = 0] = [order[at], order[other]]
    order[at] = b
    order[other] = a
  }
}
