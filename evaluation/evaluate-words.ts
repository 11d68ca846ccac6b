import type { TermWeights } from '../src/inference/term-weights.ts'
import type { LabeledQuestions } from './read-subjects.ts'

/** The weight of the words outside a question's subject. */
export interface WordsResult {
  collection: string
  questions: number
  /** Words outside the subject, and how many of them count as rare. */
  words: number
  rare: number
  /** Their share of the weight of all words. */
  weight: number
}

/** From this weight on the hybrid order starts to trust a word for its rarity. */
const RARE_FROM = 8

/** Weighs each question's words outside its subject, without English stop words, which have no weight. */
export function evaluateWords(
  { name, questions }: LabeledQuestions,
  { tokenize, backgroundWeight }: TermWeights,
): WordsResult {
  const weightOf = (stems: readonly string[]): number =>
    stems.reduce((sum, stem) => sum + backgroundWeight(stem), 0)
  const without = questions.flatMap(({ text, subject }) =>
    tokenize(subject.reduce((rest, part) => rest.replaceAll(part, ' '), text)),
  )
  const all = weightOf(questions.flatMap(({ text }) => tokenize(text)))
  return {
    collection: name,
    questions: questions.length,
    words: without.length,
    rare: without.filter((stem) => backgroundWeight(stem) >= RARE_FROM).length,
    weight: all === 0 ? 0 : weightOf(without) / all,
  }
}
