/** A part of a question that needs its own answer. */
export interface QuestionPart {
  text: string
  /** The rest of the question, which provides the part's subject. */
  rest: string
}

const ASKS =
  "how|what|what's|which|where|when|who|whom|whose|why|is|are|does|do|did|can|could|should|must|may|will|wie|was|welche[rsn]?|wo|wann|wer|warum|comment|quel(?:le)?s?|où|quand|qui|pourquoi|cómo|qué|cuál(?:es)?|dónde|cuándo|quién"
const JOINT = new RegExp(`(?:[,;]? (?:and|und|et|y)|[?;]) (?=(?:${ASKS})(?![\\p{L}]))`, 'iu')
/** Longer text is not treated as a question. */
const QUESTION_CHARACTERS_MAX = 500
const PART_WORDS_MIN = 3

/** The two parts of a question that asks for two things; otherwise one part. */
export function splitQuestion(question: string): QuestionPart[] {
  const joint = question.length > QUESTION_CHARACTERS_MAX ? null : JOINT.exec(question)
  const whole = [{ text: question, rest: '' }]
  if (joint === null) return whole
  const first = question.slice(0, joint.index)
  const second = question.slice(joint.index + joint[0].length)
  const startsAsking = new RegExp(`^(?:${ASKS})(?![\\p{L}])`, 'iu').test(first.trim())
  if (!startsAsking || first.split(/\s+/).length < PART_WORDS_MIN || second.trim() === '') return whole
  return [
    { text: first, rest: '' },
    { text: second, rest: first },
  ]
}
