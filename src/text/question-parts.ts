import { isTooLongForQuestion, QUESTION_WORDS } from './questions.ts'

/** A part of a question that needs its own answer. */
export interface QuestionPart {
  text: string
  /** The rest of the question, which provides the part's subject or circumstances. */
  rest: string
}

const STARTS_ASKING = new RegExp(`^${QUESTION_WORDS}`, 'iu')
const JOINT = new RegExp(`(?:[,;]? (?:and|und|et|y)|[?;]) (?=${QUESTION_WORDS})`, 'iu')
const PART_WORDS_MIN = 3
/** The end of the sentence, or else of the clause, before a question. */
const SENTENCE_BEFORE = new RegExp(`(?:[.!:;…]|\\s[-–—])\\s+(?=(?:so |and |but )?${QUESTION_WORDS})`, 'iu')
const CLAUSE_BEFORE = new RegExp(`,\\s+(?=${QUESTION_WORDS})`, 'giu')

/** The two parts of a question that asks for two things; otherwise one part. */
export function splitQuestion(question: string): QuestionPart[] {
  if (isTooLongForQuestion(question)) return [{ text: question, rest: '' }]
  const { text, rest } = withoutCircumstances(question)
  const joint = JOINT.exec(text)
  if (joint === null) return [{ text, rest }]
  const first = text.slice(0, joint.index)
  const second = text.slice(joint.index + joint[0].length)
  const isTwo = STARTS_ASKING.test(first.trim()) && wordsIn(first) >= PART_WORDS_MIN && second.trim() !== ''
  if (!isTwo) return [{ text, rest }]
  return [
    { text: first, rest },
    { text: second, rest: `${rest} ${first}`.trim() },
  ]
}

/** Separates what precedes a question: "We moved in March. How long do we keep our old address?" */
export function withoutCircumstances(question: string): QuestionPart {
  const end = SENTENCE_BEFORE.exec(question) ?? [...question.matchAll(CLAUSE_BEFORE)].at(-1)
  const rest = question.slice(0, end?.index ?? 0)
  if (end === undefined || wordsIn(rest) < PART_WORDS_MIN || STARTS_ASKING.test(rest.trim()))
    return { text: question, rest: '' }
  return { text: question.slice(end.index + end[0].length), rest }
}

function wordsIn(text: string): number {
  return text.trim().split(/\s+/).length
}
