/** Splits a document's text into the chunks that are embedded and searched: blocks, sentences, then chunks. */
import { inOneGo, type Pausable } from '../kernel/cooperative.ts'
import { showsNothing } from '../kernel/text.ts'
import { type Block, findingBlocks, type HeadingPath } from '../text/blocks.ts'
import { findingFragmentStarts } from './chunk-fragments.ts'
import { findingSentenceStarts } from '../text/sentences.ts'
import { countWords, isSpace } from '../text/words.ts'

export interface Chunk {
  /** The exact text of the body, without whitespace around it. */
  content: string
  /** 0 for the first chunk of the body, then 1, 2, … */
  position: number
  /** The headings above the chunk, outermost first, joined by ` > `, without those inside it. */
  heading: string | null
}

/** Words of a full chunk; only an unsplit code block or table can have more. */
export const CHUNK_WORDS_MAX = 200
/** A chunk has at least this many words, unless the next piece does not fit. */
export const CHUNK_WORDS_MIN = 120
/** Limit in characters (UTF-16 units) for every chunk. */
export const CHUNK_CHARACTERS_MAX = 4_000

/** Code and tables up to this size stay whole; the rest is reserved for headings above. */
const WHOLE_CHARACTERS_MAX = 3_600
/** Longer sentences are cut into fragments; the rest of a chunk is reserved for its headings. */
const SENTENCE_WORDS_MAX = 160
const SENTENCE_CHARACTERS_MAX = 2_000
/** A shorter text before a large code block or table introduces it and stays with it. */
const LEAD_IN_WORDS_MAX = 24
/** Shorter texts before a question stay with it, so that a document cannot have a chunk for every few words. */
const BEFORE_QUESTION_WORDS_MIN = 20
const HEADING_CHARACTERS_MAX = 200
const FILL_MIN = CHUNK_WORDS_MIN / CHUNK_WORDS_MAX

/** How good a cut is here; `AFTER_HEADING` forbids one. */
const AFTER_HEADING = -1
const FRAGMENT = 0
const SENTENCE = 1
const ITEM = 2
const PARAGRAPH = 3
const SECTION = 4
/** The answer to a frequent question is a separate chunk, so that the question's words find it. */
const QUESTION = 5

/** The smallest unit of a chunk. `before` rates a cut in front of it. */
interface Piece {
  start: number
  end: number
  words: number
  before: number
  whole: boolean
  path: HeadingPath | null
}

export function chunkText(body: string): Chunk[] {
  return inOneGo(chunkingText(body))
}

/**
 * Cuts `body` into chunks of 120 to 200 words and at most 4,000 characters, which reproduce it. A frequent question with
 * its answer is a shorter chunk. Linear time.
 */
export function* chunkingText(body: string): Pausable<Chunk[]> {
  const pieces = yield* findPieces(body)
  if (pieces.length === 0) return []
  const chunks: Chunk[] = []
  let from = 0
  for (const to of yield* packPieces(pieces)) {
    yield
    const first = pieceAt(pieces, from)
    const content = body.slice(first.start, pieceAt(pieces, to - 1).end)
    chunks.push({ content, position: chunks.length, heading: headingText(first.path) })
    from = to
  }
  return chunks
}

/** The chunks that a document is found by: the visible ones of its body, or else its title. */
export function* chunkingDocument(title: string, body: string): Pausable<Chunk[]> {
  const visible = (yield* chunkingText(body)).filter(({ content }) => !showsNothing(content))
  if (visible.length > 0)
    return visible.map(({ content, heading }, position) => ({ content, position, heading }))
  return showsNothing(title) ? [] : [{ content: title.trim(), position: 0, heading: null }]
}

function headingText(path: HeadingPath | null): string | null {
  let text = ''
  for (let at = path; at !== null; at = at.parent) {
    const longer = text === '' ? at.text : `${at.text} > ${text}`
    if (longer.length > HEADING_CHARACTERS_MAX) break
    text = longer
  }
  return text === '' ? null : text
}

function pieceAt(pieces: readonly Piece[], index: number): Piece {
  const piece = pieces[index]
  if (piece === undefined) throw new RangeError(`no piece ${index} of ${pieces.length}`)
  return piece
}

function* findPieces(body: string): Pausable<Piece[]> {
  const pieces: Piece[] = []
  let previous: Block | undefined
  let firstHeading = 0
  for (const block of yield* findingBlocks(body)) {
    yield
    const before = boundaryBefore(body, block, previous)
    if (before === SECTION) firstHeading = pieces.length
    yield* addPieces(pieces, body, block, before)
    // A heading stays with the headings above it.
    if (isQuestion(body, block)) pieceAt(pieces, firstHeading).before = QUESTION
    previous = block
  }
  return pieces
}

function isQuestion(body: string, { kind, end }: Block): boolean {
  const last = body.charCodeAt(end - 1)
  return kind === 'heading' && (last === 0x3f || last === 0xff1f)
}

function boundaryBefore(body: string, block: Block, previous: Block | undefined): number {
  if (previous?.kind === 'heading') return AFTER_HEADING
  if (block.kind === 'heading') return SECTION
  if (previous === undefined) return PARAGRAPH
  // "as follows:" belongs to what follows; code continues after an empty line.
  const last = body.charCodeAt(previous.end - 1)
  if (last === 0x3a || last === 0xff1a) return SENTENCE
  if (block.kind === 'indented' && previous.kind === 'indented') return SENTENCE
  return block.kind === 'item' && previous.kind === 'item' ? ITEM : PARAGRAPH
}

function* addPieces(pieces: Piece[], body: string, block: Block, before: number): Pausable<void> {
  const { words } = countWords(body, block.start, block.end)
  const { start, end, path } = block
  const characters = end - start
  const staysWhole =
    block.kind === 'heading' ||
    (block.kind === 'whole' && characters <= WHOLE_CHARACTERS_MAX) ||
    (block.kind === 'indented' && words <= CHUNK_WORDS_MAX && characters <= WHOLE_CHARACTERS_MAX)
  if (staysWhole) {
    pieces.push({ start, end, words, before, whole: block.kind === 'whole', path })
    return
  }
  const lines = block.kind === 'whole' || block.kind === 'indented'
  const starts = lines ? lineStarts(body, start, end) : yield* findingSentenceStarts(body, start, end)
  const inner = lines ? FRAGMENT : SENTENCE
  for (const [index, from] of starts.entries()) {
    yield
    yield* addSentence(
      pieces,
      body,
      { start: from, end: starts[index + 1] ?? end, path },
      index === 0 ? before : inner,
    )
  }
}

function lineStarts(body: string, start: number, end: number): number[] {
  const starts = [start]
  for (let at = body.indexOf('\n', start); at !== -1 && at < end; at = body.indexOf('\n', at + 1)) {
    if (at + 1 < end && body.charCodeAt(at + 1) !== 10) starts.push(at + 1)
  }
  return starts
}

type PlainRange = Pick<Piece, 'start' | 'end' | 'path'>

function* addSentence(pieces: Piece[], body: string, sentence: PlainRange, before: number): Pausable<void> {
  const { start, end, path } = sentence
  const { words } = countWords(body, start, end)
  if (words <= SENTENCE_WORDS_MAX && end - start <= SENTENCE_CHARACTERS_MAX) {
    addPiece(pieces, body, { start, end, words, before, whole: false, path })
    return
  }
  const starts = yield* findingFragmentStarts(body, start, end)
  for (const [index, from] of starts.entries()) {
    const to = starts[index + 1] ?? end
    const fragment = { start: from, end: to, words: countWords(body, from, to).words, whole: false, path }
    addPiece(pieces, body, { ...fragment, before: index === 0 ? before : FRAGMENT })
  }
}

/** Adds a piece without trailing space; drops a blank one. */
function addPiece(pieces: Piece[], body: string, piece: Piece): void {
  while (piece.end > piece.start && isSpace(body.charCodeAt(piece.end - 1))) piece.end--
  const isBlank = piece.end === piece.start
  if (!isBlank) pieces.push(piece)
}

/** How full a chunk with this many words and characters is; 1 is full. */
function fillOf(words: number, characters: number): number {
  return Math.max(words / CHUNK_WORDS_MAX, characters / CHUNK_CHARACTERS_MAX)
}

/** The index after the last piece of each chunk. */
function* packPieces(pieces: readonly Piece[]): Pausable<number[]> {
  const ends: number[] = []
  for (let from = 0; from < pieces.length;) {
    yield
    from = endOfChunk(pieces, from)
    ends.push(from)
  }
  return evenOutTail(pieces, ends)
}

/** The best end of the chunk that begins at piece `from`, always at least one piece later. */
function endOfChunk(pieces: readonly Piece[], from: number): number {
  const { start } = pieceAt(pieces, from)
  let words = 0
  let lastCut = 0
  let bestCut = 0
  let bestBoundary = AFTER_HEADING
  for (let at = from; at < pieces.length; at++) {
    const piece = pieceAt(pieces, at)
    const boundary = piece.before
    if (at > from && boundary !== AFTER_HEADING) {
      lastCut = at
      if (boundary === QUESTION && words >= BEFORE_QUESTION_WORDS_MIN) return at
      if (fillOf(words, pieceAt(pieces, at - 1).end - start) >= FILL_MIN && boundary >= bestBoundary) {
        bestCut = at
        bestBoundary = boundary
      }
    }
    const tooLong = piece.end - start > CHUNK_CHARACTERS_MAX
    const staysWhole = piece.whole && (lastCut === 0 || words < LEAD_IN_WORDS_MAX)
    const tooWordy = words + piece.words > CHUNK_WORDS_MAX && !staysWhole
    // A heading is separated from the text below only if it is too long itself.
    if (tooLong || tooWordy) return bestCut || lastCut || Math.max(at, from + 1)
    words += piece.words
  }
  return pieces.length
}

/** Moves the last boundary if the last two chunks can share the text more evenly. */
function evenOutTail(pieces: readonly Piece[], ends: number[]): number[] {
  const middle = ends.at(-2)
  if (middle === undefined) return ends
  const from = ends.at(-3) ?? 0
  const sums = [0]
  for (let at = from; at < pieces.length; at++) sums.push((sums.at(-1) ?? 0) + pieceAt(pieces, at).words)
  const total = sums.at(-1) ?? 0
  const textEnd = pieceAt(pieces, pieces.length - 1).end
  const fills = (cut: number): [number, number] => {
    const words = sums[cut - from] ?? 0
    const leftCharacters = pieceAt(pieces, cut - 1).end - pieceAt(pieces, from).start
    return [fillOf(words, leftCharacters), fillOf(total - words, textEnd - pieceAt(pieces, cut).start)]
  }
  if (fills(middle)[1] >= FILL_MIN || pieceAt(pieces, middle).before === QUESTION) return ends
  const worth = (cut: number): number => {
    const [left, right] = fills(cut)
    return left > 1 || right > 1 ? -1 : Math.min(left, right) + pieceAt(pieces, cut).before / 10
  }
  let best = middle
  for (let cut = from + 1; cut < pieces.length; cut++) {
    if (pieceAt(pieces, cut).before !== AFTER_HEADING && worth(cut) > worth(best)) best = cut
  }
  return [...ends.slice(0, -2), best, pieces.length]
}
