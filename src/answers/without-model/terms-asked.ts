import type { TermWeights } from '../../inference/term-weights.ts'
import type { Candidate } from './candidate.ts'
import { stemsOf } from './stems.ts'

type Stems = ReadonlySet<string>

/** The minimum share of the question that a definition's subject covers. */
const DEFINED_SHARE_MIN = 0.5
/** The same for a subject with hardly any other words. A long question tells more than the subject. */
const DEFINED_ALONE_SHARE_MIN = 0.25
const ALONE_FROM = 0.6
const SUBJECT = /^(?:an?|the)? ?(.{1,60}?) (?:is|are|means?|stands? for|refers? to) /i
/** The name of what a sentence describes: 'informal talks called "virtual coffees"'. */
const NAMED =
  /\b(?:called|known as|nicknamed|dubbed|termed|referred to as)(?: by \p{L}{1,20})? [“"'‘*_]{0,2}([^“”"'‘’*_.,;:()]{1,50})/iu

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
  const subjects =
    passage.kind === 'row'
      ? [term]
      : [SUBJECT, NAMED].map((pattern) => stemsOf(pattern.exec(passage.text)?.[1] ?? '', terms))
  return subjects.some((stems) => {
    let defined = 0
    for (const stem of stems) defined += weights.get(stem) ?? 0
    if (defined >= DEFINED_SHARE_MIN) return true
    return defined >= DEFINED_ALONE_SHARE_MIN && precisionOf(stems, weights) >= ALONE_FROM
  })
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
