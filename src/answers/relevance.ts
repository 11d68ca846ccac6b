import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/cooperative.ts'
import { dot } from './meaning.ts'

interface Text {
  title: string
  content: string
}

/** Stems with less weight ("use", "make") don't identify a question's subject. */
const CONTENT_FROM = 3
/** The minimum vector similarity of synonyms, such as "vacation" and "holiday", "price" and "cost". */
const SYNONYM_FROM = 0.4
const NUMBER = /^\d+$/
/** Limits a long question to its words with the most weight. */
const CONTENT_WORDS_MAX = 40

/** Whether a text shares a content word with the question: its stem, or a synonym that the model knows. */
export function* sharingContent(
  question: string,
  texts: readonly Text[],
  terms: TermWeights,
): Pausable<boolean> {
  const asked = contentWords(question, terms)
  const others = new Set<string>()
  for (const { title, content } of texts) {
    yield
    for (const stem of terms.tokenize(`${title}\n${content}`)) {
      if (asked.has(stem)) return true
      others.add(stem)
    }
  }
  const vectors = [...asked].flatMap((stem) => terms.wordVector(stem) ?? [])
  if (vectors.length === 0) return false
  for (const stem of others) {
    yield
    const other = isContent(stem, terms) ? terms.wordVector(stem) : null
    if (other !== null && vectors.some((vector) => dot(vector, other) >= SYNONYM_FROM)) return true
  }
  return false
}

function contentWords(question: string, terms: TermWeights): Set<string> {
  const stems = [...new Set(terms.tokenize(question))]
  const content = stems.filter((stem) => isContent(stem, terms))
  const said = content.length > 0 ? content : stems
  return new Set(
    said
      .toSorted((a, b) => terms.backgroundWeight(b) - terms.backgroundWeight(a))
      .slice(0, CONTENT_WORDS_MAX),
  )
}

export function isContent(stem: string, terms: TermWeights): boolean {
  return terms.backgroundWeight(stem) >= CONTENT_FROM && !NUMBER.test(stem)
}
