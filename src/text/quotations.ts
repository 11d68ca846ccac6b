import { findBlocks } from './blocks.ts'

/** Shorter questions are mere names ("Heron", "npm start"), which code often contains. */
const QUESTION_WORDS_MIN = 4
const WORD = /[\p{L}\p{N}]+/gu
const LITERAL = /"[^"\n]{12,300}"|'[^'\n"]{12,300}'/g
const ASKING_WORDS = '(?:how|what|when|where|who|why|which|can|does|is|are|wie|was|wann|wo|wer|warum)\\s'
/** Matches in every text with a literal that matches `ASKS`. */
const MAY_ASK = new RegExp(`\\?["']|["']${ASKING_WORDS}`, 'i')
const ASKS = new RegExp(`\\?["']$|^["']${ASKING_WORDS}`, 'i')

/** Removes code blocks that only repeat the question. In prose it stays, because its answer may follow. */
export function createQuotationFilter(question: string): (text: string) => string {
  const words = wordsOf(question)
  if (words.length < QUESTION_WORDS_MIN) return (text) => text
  const wanted = ` ${words.join(' ')} `
  const quotes = (text: string): boolean => {
    const lower = text.toLowerCase()
    // Most texts lack a word of the question and need not be split.
    return words.every((word) => lower.includes(word)) && ` ${wordsOf(text).join(' ')} `.includes(wanted)
  }
  return (text) => (quotes(text) ? mapCode(text, (code) => (quotes(code) ? '' : code)) : text)
}

/** Code without the questions that it quotes, which say nothing about the code. */
export function withoutQuotedQuestions(code: string): string {
  return code.replaceAll(LITERAL, (literal) => (ASKS.test(literal) ? ' ' : literal))
}

/** The same for each code block of a text. */
export function withoutQuestionsInCode(text: string): string {
  return MAY_ASK.test(text) ? mapCode(text, withoutQuotedQuestions) : text
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

function mapCode(text: string, change: (code: string) => string): string {
  const pieces: string[] = []
  let at = 0
  for (const { kind, start, end } of findBlocks(text)) {
    const source = text.slice(start, end)
    const isCode = kind === 'indented' || (kind === 'whole' && /^\s*(?:`{3}|~{3})/.test(source))
    if (!isCode) continue
    pieces.push(text.slice(at, start), change(source))
    at = end
  }
  return [...pieces, text.slice(at)].join('')
}
