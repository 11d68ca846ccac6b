import { plainText } from '../../ui/plain-text.ts'
import { wordsToMark } from './matching-words.ts'

/** A range of a text. `to` is exclusive. */
export interface TextRange {
  from: number
  to: number
}

const MARKER_RUN = /(?:\[\d{1,3}\][\s,;]{0,3}){1,25}/g
const NUMBER = /\d+/g
/** The minimum Dice coefficient of the words of a sentence and a statement. One of the passage needs less. */
const SHARED_MIN = { ofPassage: 0.15, anywhere: 0.35 }
/** The share of a sentence's words that a statement must have to quote it. Shorter sentences match any text. */
const QUOTED = 0.8
const QUOTED_WORDS = 3
const QUOTED_CHARACTERS = 12
/** The share of a statement that unchanged sentences must make up, so that similar ones do not count. */
const UNCHANGED = 0.7
/** The title that an answer puts before a sentence. */
const TITLE = /^([^\n]{1,200}?): /

/**
 * The statements right before each marker with this number.
 * @param mention which of these markers counts, starting at 1; all by default
 */
export function statementsCiting(answer: string, number: number, mention?: number): string[] {
  const found = answer.split('\n').flatMap((line) => {
    let from = 0
    return [...line.matchAll(MARKER_RUN)].flatMap((run) => {
      const statement = line.slice(from, run.index).trim()
      from = run.index + run[0].length
      const mentions = (run[0].match(NUMBER) ?? []).filter((one) => Number(one) === number)
      return mentions.map(() => statement)
    })
  })
  const chosen = mention === undefined ? found : found.slice(mention - 1, mention)
  return [...new Set(chosen)].filter((statement) => statement !== '')
}

/**
 * The sentences of a document that an answer cites: for each of its statements those that it quotes anywhere in the
 * document, else the nearest one of the passage. Without any, the whole passage.
 * @param passage the stored text that the answer used; empty if unknown
 */
export function citedSentences(
  text: string,
  { statements, passage }: { statements: readonly string[]; passage: string },
): TextRange[] {
  const all = sentencesOf(text).map((range) => toSentence(text, range))
  const ofPassage = longestRunIn(all, squeezed(plainText(passage)))
  const cited = new Set(
    statements.flatMap((words) => {
      const statement = toStatement(words)
      const quoted = quotedBy(statement, all)
      if (quoted.length > 0) return quoted.map(({ range }) => range)
      return ofPassage.length > 0
        ? nearest(statement.words, ofPassage, SHARED_MIN.ofPassage)
        : nearest(statement.words, all, SHARED_MIN.anywhere)
    }),
  )
  if (cited.size > 0) return [...cited].toSorted((one, other) => one.from - other.from)
  const [first, last] = [ofPassage[0], ofPassage.at(-1)]
  return first && last ? [{ from: first.range.from, to: last.range.to }] : []
}

interface Sentence {
  range: TextRange
  words: ReadonlySet<string>
  squeezed: string
}

function toSentence(text: string, range: TextRange): Sentence {
  const own = text.slice(range.from, range.to)
  return { range, words: wordsOf(own), squeezed: squeezed(own) }
}

interface Statement extends Omit<Sentence, 'range'> {
  /** Squeezed; empty without one. */
  title: string
}

function toStatement(words: string): Statement {
  const plain = plainText(words)
  return {
    words: wordsOf(words),
    squeezed: squeezed(plain),
    title: squeezed(TITLE.exec(plain)?.[1] ?? ''),
  }
}

/** The sentences that a statement repeats: unchanged ones if they make it up, else similar ones too. */
function quotedBy(statement: Statement, all: readonly Sentence[]): readonly Sentence[] {
  const unchanged = all.filter((sentence) => isUnchanged(sentence, statement))
  const own = unchanged.filter((sentence) => sentence.squeezed !== statement.title)
  const length = own.reduce((sum, sentence) => sum + sentence.squeezed.length, 0)
  if (length >= UNCHANGED * (statement.squeezed.length - statement.title.length)) return own
  return all.filter((sentence) => isUnchanged(sentence, statement) || isSimilar(sentence, statement))
}

function isUnchanged(sentence: Sentence, statement: Statement): boolean {
  return sentence.squeezed.length >= QUOTED_CHARACTERS && statement.squeezed.includes(sentence.squeezed)
}

function isSimilar({ words }: Sentence, statement: Statement): boolean {
  return words.size >= QUOTED_WORDS && shared(words, statement.words) >= QUOTED * words.size
}

function nearest(
  statement: ReadonlySet<string>,
  candidates: readonly Sentence[],
  sharedMin: number,
): TextRange[] {
  const scored = candidates.map(({ range, words }) => {
    const size = words.size + statement.size
    return { range, score: size === 0 ? 0 : (2 * shared(words, statement)) / size }
  })
  const [best] = scored.toSorted((one, other) => other.score - one.score)
  return best !== undefined && best.score >= sharedMin ? [best.range] : []
}

function shared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return [...words].filter((word) => others.has(word)).length
}

/** The longest run of sentences in a passage: a short sentence can also occur elsewhere in the document. */
function longestRunIn(sentences: readonly Sentence[], passage: string): readonly Sentence[] {
  interface Run {
    run: Sentence[]
    length: number
  }
  let best: Run = { run: [], length: 0 }
  let now: Run = { run: [], length: 0 }
  for (const sentence of sentences) {
    if (sentence.squeezed === '') continue
    const isIn = passage.includes(sentence.squeezed)
    if (isIn) now.run.push(sentence)
    now = isIn ? { run: now.run, length: now.length + sentence.squeezed.length } : { run: [], length: 0 }
    if (now.length > best.length) best = now
  }
  return best.run
}

/** Only letters and numbers, which Markdown and its rendered text have in common. */
function squeezed(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
}

function wordsOf(text: string): ReadonlySet<string> {
  return wordsToMark(plainText(text))
}

/** Splits a text as it is shown into trimmed sentences and lines, in one pass. */
function sentencesOf(text: string): TextRange[] {
  const found: TextRange[] = []
  let from = 0
  const end = (to: number): void => {
    const part = text.slice(from, to)
    const start = from + part.length - part.trimStart().length
    const length = part.trim().length
    if (length > 0) found.push({ from: start, to: start + length })
    from = to
  }
  for (let at = 0; at < text.length; at += 1) {
    const isLineEnd = text[at] === '\n'
    const isSentenceEnd = '.!?'.includes(text[at] ?? '') && /\s/.test(text[at + 1] ?? ' ')
    if (isLineEnd || isSentenceEnd) end(at + 1)
  }
  end(text.length)
  return found
}
