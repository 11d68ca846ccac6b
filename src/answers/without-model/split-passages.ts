import { type Block, findBlocks } from '../../text/blocks.ts'
import { type Commented, readCommented } from './commented-text.ts'
import { ITEM_CHARACTERS_MAX, readCode, readDefinition } from './definition-passages.ts'
import { readDefinitions } from './read-definitions.ts'
import { CONTEXT_CHARACTERS_MAX, type Passage, toPassage, type Under } from './passage.ts'
import { joinLines, plainText, shorten } from './plain-text.ts'
import { sentencesOfParagraph } from './paragraph-sentences.ts'
import { isRunningHead, readStandingTerm, type StandingTerm } from './standing-terms.ts'
import { hasHtmlCells, htmlRows, isTable, markdownRows, readRows } from './table-rows.ts'

const LEADS_ON = /\b(?:following|as follows|below|folgende[nrs]?|suivante?s?|siguientes?)\b/i
/** A sentence that only introduces an example. */
const SHOWS = /\b(?:examples?|e\.g\.|like (?:this|so|these)|this|here|beispiel|exemple|ejemplo)\b/i
/** Before code, sentences with fewer words only name it. */
const LEAD_IN_WORDS_MIN = 8

/** A heading that is an identifier. The text below describes it and needs its name. */
const IDENTIFIER =
  /^(?=.*(?:[`_$.()\d-]|\p{Ll}\p{Lu}))`?[\w$@/.<>-]{1,60}(?:\([^()]{0,80}\))?`?(?:\s?(?:→|->|=>|:)\s.{1,60})?$/u

const WORD = /^["(]?\p{L}[\p{Ll}'’‐-]{1,30}[.,:;)"]{0,3}$/u
/** The addresses of a text's links: `[name]: https://…`. */
const LINK_ADDRESSES = /^\[[^\]\n]{1,200}\]:\s{1,10}<?(?:https?:|mailto:|[/#.])\S*/
/** Headings above navigation links. */
const NAVIGATION =
  /^(?:navigation|(?:table of )?contents|on this page|this page|quick search|search|related topics|breadcrumbs?|menu)$/i

/** A heading of a manual page: a line in capitals. */
const CAPITALS = /^\p{Lu}[\p{Lu}\d /-]{2,60}$/u

/** The NAME line of a manual page: `tarn, untarn - pack folders`. */
const NAME_LINE = /^([^\s,]{1,60}(?:, [^\s,]{1,60}){0,20}) [-\u2013\u2014] (.+)$/

/** A comment that only names the section of the file. */
const TITLE = /^[^.:\n]{1,60}$/

/** State carried between blocks. */
interface State {
  group: number
  /** Possible context of the next block: the sentence before a list, and the enclosing list items. */
  above: Above[]
  kindBefore: Block['kind'] | null
  /** Whether the next block is code or text; then the sentence before it makes sense alone. */
  leadsIntoText: boolean
  /** Whether the next block is a list item, which any sentence of a paragraph may announce. */
  leadsIntoList: boolean
  /** The short paragraph that names the subject of the following ones. */
  standing: StandingTerm | null
  /** Whether no text about it has been read yet. */
  isNew: boolean
}

interface Above {
  /** The column it starts at; text indented more belongs to it. -1: a sentence that introduces the next block. */
  indent: number
  text: string
  kind: 'lead-in' | 'item' | 'term' | 'heading'
}

/** The passages of a chunk, in order. Text without information of its own is only context. */
export function splitPassages(content: string): Passage[] {
  const state: State = {
    group: 0,
    above: [],
    kindBefore: null,
    leadsIntoText: false,
    leadsIntoList: false,
    standing: null,
    isNew: false,
  }
  return findBlocks(content).flatMap((block, at, blocks) => {
    const next = blocks[at + 1]
    state.leadsIntoText = isCode(next, content) || next?.kind === 'paragraph'
    state.leadsIntoList = next?.kind === 'item'
    const passages = readStanding(block, next, content, state) ?? readBlock(block, content, state)
    state.kindBefore = block.kind
    return passages
  })
}

/** Reads a short paragraph that names the subject of the following ones; null: another block. */
function readStanding(
  block: Block,
  next: Block | undefined,
  content: string,
  state: State,
): Passage[] | null {
  if (block.kind === 'heading') state.standing = null
  if (block.kind !== 'paragraph' || next?.kind === 'heading' || content.startsWith('#', next?.start))
    return null
  const below = next === undefined ? null : content.slice(next.start, next.end)
  const source = content.slice(block.start, block.end)
  if (isRunningHead(source, below)) return []
  const standing = readStandingTerm(source, below)
  if (standing === null) return null
  const title = { ...standsUnder(block, { ...state, standing: null }), label: null, group: ++state.group }
  state.standing = standing
  state.isNew = true
  state.above = []
  return standing.isName ? [] : [{ ...toPassage('sentence', standing.text, title), isTitle: true }]
}

function readBlock(block: Block, content: string, state: State): Passage[] {
  const source = content.slice(block.start, block.end)
  const continuesList = block.kind === 'item' && state.kindBefore === 'item'
  if (!continuesList) state.group++
  if (block.kind === 'heading') {
    state.above = []
    return []
  }
  if (block.path !== null && NAVIGATION.test(plainText(block.path.text))) return []
  if (LINK_ADDRESSES.test(source)) return []
  if (block.kind === 'item') return readItem(source, columnOf(block.start, content), block, state)
  const column = columnOf(block.start, content) + (source.length - source.trimStart().length)
  state.above = state.above.filter(({ kind, indent }) => kind === 'lead-in' || indent < column)
  const under = standsUnder(block, state)
  state.above = state.above.filter(({ kind }) => kind === 'term' || kind === 'heading')
  if (hasHtmlCells(source)) return readRows(htmlRows(source), under)
  if (block.kind === 'whole') {
    return isTable(source) ? readRows(markdownRows(source), under) : readCode(source, under)
  }
  const commented = block.kind === 'paragraph' ? readCommented(source) : null
  if (commented !== null) return commented.flatMap((one) => readComment(one, under, state))
  return readText(wholeLines(block, content), under, state) ?? readIndented(source, under, block, state)
}

/** Reads a comment of a configuration file as the description of the settings below it. */
function readComment({ comment, settings }: Commented, under: Under, state: State): Passage[] {
  const term = settings[0] ?? null
  if (term === null && TITLE.test(comment)) return []
  const text = splitPassages(comment).map((passage) =>
    Object.assign(passage, {
      context: `${under.context} ${passage.context}`,
      term: passage.term ?? term,
      label: passage.label ?? term,
      kind: passage.kind === 'sentence' && term !== null ? 'item' : passage.kind,
      group: state.group + passage.group,
      at: under.at,
    }),
  )
  state.group = (text.at(-1)?.group ?? state.group) + 1
  if (term === null) return text
  if (comment.length <= ITEM_CHARACTERS_MAX && !comment.includes('\n\n'))
    return readDefinition(
      { term: settings.join('; '), text: joinLines(comment.split('\n')), indent: 0 },
      under,
    )
  return [
    ...text,
    ...settings.flatMap((setting) => readDefinition({ term: setting, text: '', indent: 0 }, under)),
  ]
}

/** The text of a block with the spaces before its first line. */
function wholeLines(block: Block, content: string): string {
  const lineStart = content.lastIndexOf('\n', block.start - 1) + 1
  const isSpace = content.slice(lineStart, block.start).trim() === ''
  return content.slice(isSpace ? lineStart : block.start, block.end)
}

/** Reads definitions below the heading in capitals that manual pages put directly above them; null: none. */
function readText(source: string, under: Under, state: State): Passage[] | null {
  const end = source.indexOf('\n')
  const first = source.slice(0, end === -1 ? source.length : end)
  if (CAPITALS.test(first.trim()) && /^\n[ \t]/.test(source.slice(end))) {
    const text = first.trim()
    state.above = [{ indent: -1, text, kind: 'heading' }]
    const inside = { ...under, context: `${under.context} ${text}` }
    const rest = source.slice(end + 1)
    const named = text === 'NAME' ? NAME_LINE.exec(plainText(rest)) : null
    if (named !== null)
      return readDefinition({ term: named[1] ?? '', text: named[2] ?? '', indent: 0 }, inside)
    return readText(rest, inside, state) ?? readParagraph(rest, inside, state)
  }
  const definitions = readDefinitions(source)
  if (definitions === null) return readUnderName(source, under, state)
  const last = definitions.at(-1)
  const outer = state.above.filter(({ indent }) => last !== undefined && indent < last.indent)
  if (last) state.above = [...outer, { indent: last.indent, text: last.term, kind: 'term' }]
  return definitions.flatMap((definition) => readDefinition(definition, under))
}

/** Reads the first paragraph below a name as its definition; null: other text. */
function readUnderName(source: string, under: Under, state: State): Passage[] | null {
  const { standing, isNew } = state
  state.isNew = false
  const last = sentencesOfParagraph(source).at(-1) ?? ':'
  if (!standing?.isName || !isNew || last.endsWith(':') || under.term !== standing.text) return null
  return readDefinition({ term: standing.text, text: source, indent: 0 }, under)
}

/** Reads indented prose, as in manual pages, as text, and other indented text as code. */
function readIndented(source: string, under: Under, block: Block, state: State): Passage[] {
  return block.kind === 'paragraph' || isProse(source)
    ? readParagraph(source, under, state)
    : readCode(source, under)
}

function isProse(source: string): boolean {
  const text = source.trim()
  const all = text.split(/\s+/)
  const words = all.filter((word) => WORD.test(word)).length
  return (
    /^[\p{L}"(]/u.test(text) &&
    all.length >= (/[.!]$/.test(text) ? 3 : 5) &&
    words >= all.length * 0.6 &&
    !/[{};\\]$/m.test(text)
  )
}

function columnOf(start: number, content: string): number {
  return start - (content.lastIndexOf('\n', start - 1) + 1)
}

function standsUnder(block: Block, state: State): Under {
  const headings: string[] = []
  for (let path = block.path; path !== null; path = path.parent) headings.unshift(plainText(path.text))
  const above = state.above.map(({ text }) => text)
  const { standing } = state
  const under = standing === null ? above : [standing.text, ...above]
  const context = [...headings, ...under].join(' ').slice(-CONTEXT_CHARACTERS_MAX)
  const heading = headings.at(-1) ?? null
  const outer = state.above.findLast(({ kind }) => kind === 'term')?.text
  const named = standing?.isName ? standing.text : null
  const term = outer ?? named ?? (heading !== null && IDENTIFIER.test(heading) ? heading : null)
  const label = above.at(-1) ?? named ?? heading
  return { context, label, heading, group: state.group, term, at: block.start }
}

function readParagraph(source: string, under: Under, state: State): Passage[] {
  const sentences = sentencesOfParagraph(source)
  const last = sentences.at(-1)
  // An all-bold paragraph is an unmarked heading.
  if (/^\*\*[^*]+\*\*:?$/.test(source.trim()) && last !== undefined) {
    state.above = [{ indent: -1, text: last, kind: 'lead-in' }]
    return []
  }
  const announcing = state.leadsIntoList ? sentences : sentences.slice(-1)
  const leadIn = last?.endsWith(':') ? last : announcing.findLast((sentence) => LEADS_ON.test(sentence))
  if (leadIn !== undefined) state.above = [{ indent: -1, text: leadIn, kind: 'lead-in' }]
  const standing = withoutLeadIn(sentences, state)
  if (under.term !== null) {
    const labelled = { ...under, label: under.term }
    return standing.map((text) => toPassage('item', text, labelled))
  }
  const unlabeled = { ...under, label: null }
  return standing.map((text) => toPassage('sentence', text, unlabeled))
}

/** Drops a last sentence that only introduces the next block, unless that is code and it makes sense alone. */
function withoutLeadIn(sentences: readonly string[], { leadsIntoText }: State): readonly string[] {
  const last = sentences.at(-1) ?? ''
  if (!last.endsWith(':')) return sentences
  const isLong = last.split(' ').length >= LEAD_IN_WORDS_MIN
  const stands = leadsIntoText && isLong && !LEADS_ON.test(last) && !SHOWS.test(last)
  return [...sentences.slice(0, -1), ...(stands ? [`${last.slice(0, -1)}.`] : [])]
}

function isCode(block: Block | undefined, content: string): boolean {
  return block?.kind === 'whole' && !isTable(content.slice(block.start, block.end))
}

function readItem(source: string, indent: number, block: Block, state: State): Passage[] {
  state.above = state.above.filter((parent) => parent.indent < indent)
  const under = standsUnder(block, state)
  const body = source.replace(/^\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
  const whole = plainText(body)
  const sentences = whole.length <= ITEM_CHARACTERS_MAX ? [whole] : sentencesOfParagraph(body)
  const first = sentences[0] ?? ''
  const number = /^\s*(\d{1,9})/.exec(source)?.[1]
  const step = number === undefined ? null : Number(number)
  state.above.push({ indent, text: first, kind: 'item' })
  // The first sentence of an item names its subject.
  const later = { ...under, context: `${under.context} ${shorten(first, CONTEXT_CHARACTERS_MAX)}` }
  return sentences
    .filter((text) => /\p{L}/u.test(text) && !text.endsWith(':'))
    .map((text) => Object.assign(toPassage('item', text, text === first ? under : later), { step }))
}
