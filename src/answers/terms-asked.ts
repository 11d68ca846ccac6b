import type { TermWeights } from '../inference/term-weights.ts'
import type { Candidate } from './candidate.ts'
import { stemsOf } from './stems.ts'

type Stems = ReadonlySet<string>
const NONE: Stems = new Set()

/** The minimum share of the question that a definition's subject covers. */
const DEFINED_SHARE_MIN = 0.5
const SUBJECT = /^(?:an?|the)? ?(.{1,60}?) (?:is|are|means?|stands? for|refers? to) /i

/** Whether a term starts with one of the names, as a whole word. */
export function beginsWith(term: string | null, literals: readonly string[]): boolean {
  const read = term?.toLowerCase()
  return literals.some((literal) => read?.startsWith(literal) && !/[\w.-]/.test(read.charAt(literal.length)))
}

/** Whether the question contains the whole term in its exact spelling: "imap" does not match "imaps". */
export function isAsked(term: string | null, said: string): boolean {
  return term !== null && said.includes(` ${term.toLowerCase().replaceAll('`', '')} `)
}

/** The share of the names that a text contains in their exact spelling. */
export function literalShare(text: string, literals: readonly string[]): number {
  const read = text.toLowerCase()
  return literals.filter((literal) => read.includes(literal)).length / Math.max(1, literals.length)
}

/** Whether the subject of a definition (a term, or the words before "is") covers most of the question. */
export function definesAsked(
  { passage, term }: Candidate,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): boolean {
  const subject = SUBJECT.exec(passage.text)?.[1]
  const stems = passage.kind === 'row' ? term : subject === undefined ? NONE : stemsOf(subject, terms)
  let defined = 0
  for (const stem of stems) defined += weights.get(stem) ?? 0
  return defined >= DEFINED_SHARE_MIN
}

/** Whether a question names a table's row and one of its columns with a value. */
export function namesCell(
  { passage: { cells }, term }: Candidate,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): boolean {
  const hasAsked = (stems: Stems): boolean => [...stems].some((stem) => weights.has(stem))
  return (
    cells.length > 0 && hasAsked(term) && cells.slice(1).some(({ name }) => hasAsked(stemsOf(name, terms)))
  )
}

/** The share of a term's stems that the question contains. */
export function precisionOf(term: Stems, weights: ReadonlyMap<string, number>): number {
  let asked = 0
  for (const stem of term) if (weights.has(stem)) asked++
  return asked / Math.max(1, term.size)
}
