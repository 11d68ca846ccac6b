import type { TermWeights } from '../src/inference/term-weights.ts'
import type { LabelledQuestions } from './read-subjects.ts'

/** How questions' words without a subject are weighed. */
export interface WordsResult {
  collection: string
  questions: number
  /** Words that carry no subject, and how many of these count as rare. */
  words: number
  rare: number
  /** Their share of all that the questions' words weigh. */
  weight: number
}

/** From this weight on the hybrid order begins to trust a word because it is unusual. */
const RARE_FROM = 8

/** Weighs what is left of each question without its subject, stop words of English aside, which count for nothing. */
export function evaluateWords(
  { name, questions }: LabelledQuestions,
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
