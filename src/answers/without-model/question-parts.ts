import { isTooLongForQuestion, QUESTION_WORDS } from '../../text/questions.ts'

/** A part of a question that needs its own answer. */
export interface QuestionPart {
  text: string
  /** The rest of the question, which provides the part's subject. */
  rest: string
}

const STARTS_ASKING = new RegExp(`^${QUESTION_WORDS}`, 'iu')
const JOINT = new RegExp(`(?:[,;]? (?:and|und|et|y)|[?;]) (?=${QUESTION_WORDS})`, 'iu')
const PART_WORDS_MIN = 3

/** The two parts of a question that asks for two things; otherwise one part. */
export function splitQuestion(question: string): QuestionPart[] {
  const joint = isTooLongForQuestion(question) ? null : JOINT.exec(question)
  const whole = [{ text: question, rest: '' }]
  if (joint === null) return whole
  const first = question.slice(0, joint.index)
  const second = question.slice(joint.index + joint[0].length)
  if (!STARTS_ASKING.test(first.trim())) return whole
  if (first.split(/\s+/).length < PART_WORDS_MIN || second.trim() === '') return whole
  return [
    { text: first, rest: '' },
    { text: second, rest: first },
  ]
}
