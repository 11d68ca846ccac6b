import { type Block, findBlocks } from '../text/blocks.ts'
import { withoutMarkers } from './citations.ts'
import { type Definition, readDefinitions } from './definitions.ts'
import { CONTEXT_CHARACTERS_MAX, type Passage, toPassage, type Under } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'
import { splitSentences, withDefaults } from './sentences.ts'
import { readStandingTerm, type StandingTerm } from './standing-terms.ts'
import { hasHtmlCells, htmlRows, isTable, markdownRows, readRows } from './table-rows.ts'

/** Code beyond this is not shown: it would bury the answer. */
const CODE_CHARACTERS_MAX = 400
/** A list item of several sentences stays whole up to this length. */
const ITEM_CHARACTERS_MAX = 300
const LEADS_ON = /\b(?:following|as follows|below|folgende[nrs]?|suivante?s?|siguientes?)\b/i
/** A sentence that only shows to an example. */
const SHOWS = /\b(?:examples?|e\.g\.|like (?:this|so|these)|this|here|beispiel|exemple|ejemplo)\b/i
/** Shorter ones before code only name it. */
const LEAD_IN_WORDS_MIN = 8

/** A heading that is a name in code: what stands below it tells of that and needs it. */
const IDENTIFIER = /^(?=.*(?:[`_$.()\d-]|\p{Ll}\p{Lu}))`?[\w$@/.<>-]{1,60}(?:\([^()]{0,80}\))?`?$/u

const WORD = /^["(]?\p{L}[\p{Ll}'’‐-]{1,30}[.,:;)"]{0,3}$/u
/** What stands below such a heading leads elsewhere. */
const NAVIGATION =
  /^(?:navigation|(?:table of )?contents|on this page|this page|quick search|search|related topics|breadcrumbs?|menu)$/i

/** The headings of a manual page: alone on a line, in capitals. */
const CAPITALS = /^\p{Lu}[\p{Lu}\d /-]{2,60}$/u

/** What is carried from one block to the next. */
interface State {
  group: number
  /** What the next block may stand under: the sentence before a list, and the list items around it. */
  above: Above[]
  kindBefore: Block['kind'] | null
  /** Whether the next block is code: an example, without which the sentence before it still says what it says. */
  leadsIntoCode: boolean
  /** The heading above where it is one word, as the name of an option is. */
  option: string | null
  /** The short paragraph that names what is told here. */
  standing: StandingTerm | null
  /** Whether nothing has been told of it yet. */
  isNew: boolean
}

interface Above {
  /** Where it begins; what stands further in belongs to it. A sentence that leads into the next block has -1. */
  indent: number
  text: string
  kind: 'lead-in' | 'item' | 'term' | 'heading'
}

/** The passages of a chunk, in order. Text that says nothing by itself (headings, rules, lead-ins) is context only. */
export function splitPassages(content: string): Passage[] {
  const state: State = {
    group: 0,
    above: [],
    kindBefore: null,
    leadsIntoCode: false,
    option: null,
    standing: null,
    isNew: false,
  }
  return findBlocks(content).flatMap((block, at, blocks) => {
    const next = blocks[at + 1]
    state.leadsIntoCode = isCode(next, content)
    state.option = optionOf(block)
    const passages = readStanding(block, next, content, state) ?? readBlock(block, content, state)
    state.kindBefore = block.kind
    return passages
  })
}

/** Takes up a short paragraph that names what follows; null where the block is something else. */
function readStanding(
  block: Block,
  next: Block | undefined,
  content: string,
  state: State,
): Passage[] | null {
  if (block.kind === 'heading') state.standing = null
  if (block.kind !== 'paragraph' || next?.kind === 'heading') return null
  const below = next === undefined ? null : content.slice(next.start, next.end)
  const standing = readStandingTerm(content.slice(block.start, block.end), below)
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
  if (block.kind === 'item') return readItem(source, columnOf(block.start, content), block, state)
  const column = columnOf(block.start, content) + (source.length - source.trimStart().length)
  state.above = state.above.filter(({ kind, indent }) => kind === 'lead-in' || indent < column)
  const under = standsUnder(block, state)
  state.above = state.above.filter(({ kind }) => kind === 'term' || kind === 'heading')
  if (hasHtmlCells(source)) return readRows(htmlRows(source), under)
  if (block.kind === 'whole') {
    return isTable(source) ? readRows(markdownRows(source), under) : readCode(source, under)
  }
  return readText(wholeLines(block, content), under, state) ?? readIndented(source, under, block, state)
}

/** The text of a block with the spaces before its first line. */
function wholeLines(block: Block, content: string): string {
  const lineStart = content.lastIndexOf('\n', block.start - 1) + 1
  const isSpace = content.slice(lineStart, block.start).trim() === ''
  return content.slice(isSpace ? lineStart : block.start, block.end)
}

/** Definitions, below the heading in capitals that manual pages put right above them; null where there are none. */
function readText(source: string, under: Under, state: State): Passage[] | null {
  const end = source.indexOf('\n')
  const first = source.slice(0, end === -1 ? source.length : end)
  if (CAPITALS.test(first.trim()) && /^\n[ \t]/.test(source.slice(end))) {
    const text = first.trim()
    state.above = [{ indent: -1, text, kind: 'heading' }]
    const inside = { ...under, context: `${under.context} ${text}` }
    const rest = source.slice(end + 1)
    return readText(rest, inside, state) ?? readParagraph(rest, inside, state)
  }
  const definitions = readDefinitions(source)
  if (definitions === null) return readUnderName(source, under, state)
  const last = definitions.at(-1)
  const outer = state.above.filter(({ indent }) => last !== undefined && indent < last.indent)
  if (last) state.above = [...outer, { indent: last.indent, text: last.term, kind: 'term' }]
  return definitions.flatMap((definition) => readDefinition(definition, under))
}

/** The first paragraph below a name is its definition; null for other text. */
function readUnderName(source: string, under: Under, state: State): Passage[] | null {
  const { standing, isNew } = state
  state.isNew = false
  const last = splitSentences(source).at(-1) ?? ':'
  if (!standing?.isName || !isNew || last.endsWith(':') || under.term !== standing.text) return null
  return readDefinition({ term: standing.text, text: source, indent: 0 }, under)
}

/** A short definition whole, of a longer one each sentence below its term. */
function readDefinition({ term, text }: Definition, under: Under): Passage[] {
  const name = plainText(term)
  const whole = plainText(text)
  if (whole === '' || name === '') return []
  const toRow = (said: string): Passage =>
    toPassage('row', withoutMarkers(`${name} – ${said}`), { ...under, label: null, term: name })
  if (whole.length <= ITEM_CHARACTERS_MAX) return [toRow(whole)]
  const [first = '', ...later] = splitSentences(text)
  const context = `${under.context} ${shorten(name, CONTEXT_CHARACTERS_MAX)}`
  const below = { ...under, context, label: name, term: name }
  return [toRow(first), ...later.map((said) => toPassage('item', said, below))]
}

/** Indented prose, as in manual pages, is text; what else is indented is code. */
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
  const sentences = splitSentences(source)
  const last = sentences.at(-1)
  // A paragraph that is all bold is a heading that was not marked as one.
  if (/^\*\*[^*]+\*\*:?$/.test(source.trim()) && last !== undefined) {
    state.above = [{ indent: -1, text: last, kind: 'lead-in' }]
    return []
  }
  if (last !== undefined && (last.endsWith(':') || LEADS_ON.test(last)))
    state.above = [{ indent: -1, text: last, kind: 'lead-in' }]
  const standing = withoutLeadIn(sentences, state)
  if (under.term !== null) {
    const labelled = { ...under, label: under.term }
    return withDefaults(standing).map((text) => toPassage('item', text, labelled))
  }
  const unlabelled = { ...under, label: null }
  const { option } = state
  return withDefaults(standing).map((text, at) =>
    option !== null && text !== standing[at]
      ? toPassage('item', text, { ...under, label: option, term: option })
      : toPassage('sentence', text, unlabelled),
  )
}

/** Without a last sentence that leads into what follows it, unless that is code and the sentence says something by itself. */
function withoutLeadIn(sentences: readonly string[], { leadsIntoCode }: State): readonly string[] {
  const last = sentences.at(-1) ?? ''
  if (!last.endsWith(':')) return sentences
  const isLong = last.split(' ').length >= LEAD_IN_WORDS_MIN
  const stands = leadsIntoCode && isLong && !LEADS_ON.test(last) && !SHOWS.test(last)
  return [...sentences.slice(0, -1), ...(stands ? [`${last.slice(0, -1)}.`] : [])]
}

function isCode(block: Block | undefined, content: string): boolean {
  return block?.kind === 'whole' && !isTable(content.slice(block.start, block.end))
}

function optionOf({ path }: Block): string | null {
  const heading = path === null ? '' : plainText(path.text)
  return /^\S+$/.test(heading) ? heading : null
}

function readItem(source: string, indent: number, block: Block, state: State): Passage[] {
  state.above = state.above.filter((parent) => parent.indent < indent)
  const under = standsUnder(block, state)
  const body = source.replace(/^\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
  const whole = plainText(body)
  const sentences = whole.length <= ITEM_CHARACTERS_MAX ? [whole] : withDefaults(splitSentences(body))
  const first = sentences[0] ?? ''
  state.above.push({ indent, text: first, kind: 'item' })
  // What an item is about stands in its first sentence.
  const later = { ...under, context: `${under.context} ${shorten(first, CONTEXT_CHARACTERS_MAX)}` }
  return sentences
    .filter((text) => /\p{L}/u.test(text) && !text.endsWith(':'))
    .map((text) => toPassage('item', text, text === first ? under : later))
}

function readCode(source: string, under: Under): Passage[] {
  const text = source.trimEnd()
  const fenced = /^\s*(?:```|~~~)/.test(text) ? text : `\`\`\`\n${text}\n\`\`\``
  if (text.length > CODE_CHARACTERS_MAX || /\[\s*\d+\s*\]/.test(text) || !isClosedFence(fenced)) return []
  return [toPassage('code', fenced, under)]
}

function isClosedFence(text: string): boolean {
  const lines = text.trim().split('\n')
  const fence = /^(?:```+|~~~+)/.exec(lines[0] ?? '')?.[0]
  const closing = lines.at(-1)?.trim()
  return fence !== undefined && closing === fence && lines.slice(1, -1).some((line) => line.trim() !== '')
}
