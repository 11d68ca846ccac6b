import type { Candidate } from './candidate.ts'
import { saysLittle } from './empty-passages.ts'

/** The length limit for steps, lists, and the text before code. */
const BLOCK_CHARACTERS_MAX = 900
/** Headings of procedures. The list below one answers, rather than the text around it. */
const NAMES_STEPS = /\b(?:steps|procedure|instructions|checklist|schritte|anleitung|[eé]tapes|pasos)\b/i
/** From this gain, an item has the requested type of information, such as a number. */
const TYPE_FOUND_FROM = 0.5
const OUTLINE_PASSAGES_MAX = 5
const OUTLINE_CHARACTERS_MAX = 700
/** A list up to this length is quoted whole. */
const SHORT_LIST_CHARACTERS_MAX = 200

/** The whole list or table around a passage, up to the length limit; empty if there is none. */
export function listAround(item: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const { kind } = item.passage
  return kind === 'item' || kind === 'row' ? blockWith(item, itemsOf(item, candidates)) : []
}

/** All items or rows of a passage's list or table. */
function itemsOf(item: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const { kind, group } = item.passage
  return candidates.filter(
    ({ section, passage }) => section === item.section && passage.group === group && passage.kind === kind,
  )
}

/**
 * The numbered list that contains a passage, the passage with the one directly below it, or else one under a heading
 * such as "Steps" in its section.
 */
export function stepsNear(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const steps = candidates.filter(({ section, passage }) => section === best.section && passage.step !== null)
  const own = steps.filter(({ passage }) => passage.group === best.passage.group)
  if (own.length > 0) return blockWith(best, own)
  const below = candidates.find(
    ({ section, passage, position }) =>
      section === best.section && position > best.position && passage.group !== best.passage.group,
  )
  if (below !== undefined && below.passage.step !== null && below.passage.heading === best.passage.heading)
    return [best, ...listAround(below, candidates)]
  const named = steps.find(({ passage }) => NAMES_STEPS.test(passage.heading ?? ''))
  return named === undefined ? [] : listAround(named, candidates)
}

/** The share of a question's weight that makes the text above a list its subject. */
const INTRODUCED_FROM = 0.35

/**
 * The whole list of an item, if the words of the question are above the list rather than in the item: "Who approves
 * leave?" above a list of people. Empty if the item has the requested type of information.
 */
export function introducedList(
  item: Candidate,
  candidates: readonly Candidate[],
  asked: AskedWords,
): readonly Candidate[] {
  const introduced = item.gains > TYPE_FOUND_FROM ? 0 : introducedShare(item, asked)
  return introduced >= INTRODUCED_FROM ? listAround(item, candidates) : []
}

/** The list that a sentence announces: "Submit the following papers."; empty if there is none. */
export function announcedList(
  { passage, section, position }: Candidate,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  if (passage.kind !== 'sentence') return []
  const first = candidates.find(
    (one) => one.section === section && one.position > position && one.passage.label === passage.text,
  )
  return first === undefined ? [] : listAround(first, candidates)
}

/** A passage, with the rest of its list if that is short and the text above it has the question's words. */
export function withShortList(
  item: Candidate,
  candidates: readonly Candidate[],
  asked: AskedWords,
): readonly Candidate[] {
  if (introducedShare(item, asked) === 0) return [item]
  const list = itemsOf(item, candidates)
  const characters = list.reduce((sum, { passage }) => sum + passage.text.length, 0)
  return characters <= SHORT_LIST_CHARACTERS_MAX ? list : [item]
}

/** The words of a question and how to find them. */
export interface AskedWords {
  weights: ReadonlyMap<string, number>
  stemsOf: (text: string) => ReadonlySet<string>
}

/** The share of a question that the text above an item contains; 0 if the item itself contains more. */
function introducedShare({ passage, stems }: Candidate, { weights, stemsOf }: AskedWords): number {
  if (passage.kind !== 'item' || passage.term !== null || passage.label === null) return 0
  const above = stemsOf(passage.label)
  let introduced = 0
  let own = 0
  for (const [stem, weight] of weights) {
    if (above.has(stem)) introduced += weight
    else if (stems.has(stem)) own += weight
  }
  return introduced > own ? introduced : 0
}

/** The opening passage under each heading around a passage, for a summary. */
export function outlineOf(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const openings = new Map<string | null, Candidate>()
  for (const candidate of candidates) {
    const { passage, section } = candidate
    const isText = passage.kind !== 'code' && !passage.isTitle && !saysLittle(passage)
    if (section === best.section && isText && !openings.has(passage.heading))
      openings.set(passage.heading, candidate)
  }
  return upTo(OUTLINE_CHARACTERS_MAX, [...openings.values()]).slice(0, OUTLINE_PASSAGES_MAX)
}

/** The text below the heading of a passage. */
export function textUnder(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const {
    section,
    passage: { heading },
  } = best
  const below = candidates.filter((one) => one.section === section && one.passage.heading === heading)
  return blockWith(
    best,
    below.filter(({ passage }) => !passage.isTitle),
  )
}

/** The beginning of a block, or what begins with the passage if the beginning lacks it. */
function blockWith(item: Candidate, block: readonly Candidate[]): Candidate[] {
  const beginning = upTo(BLOCK_CHARACTERS_MAX, block)
  const at = beginning.includes(item) ? 0 : block.indexOf(item)
  return at > 0 ? upTo(BLOCK_CHARACTERS_MAX, block.slice(at)) : beginning
}

function upTo(charactersMax: number, candidates: readonly Candidate[]): Candidate[] {
  let characters = 0
  return candidates.filter(({ passage }) => (characters += passage.text.length) <= charactersMax)
}
