import type { Candidate } from './candidate.ts'
import { saysLittle } from './empty-passages.ts'
import { SHARPNESS } from './score-passages.ts'

/** A passage must be this likely for each character that it adds. */
const COST_OF_CHARACTER = 0.00007
/** A passage apart from the text already chosen must also be this likely, because it interrupts the reader. */
const COST_APART = 0.02
const COST_OF_OTHER_SECTION = 0.025
/** A passage from the section of the best one joins it, in reading order, from this share of its likelihood. */
const IN_ORDER_FROM = 0.4
/** The next sentence of a paragraph explains the best one. */
const GAIN_OF_NEXT = 0.03
const CONTINUATION_CHARACTERS_MAX = 400
const CHARACTERS_MAX = 800
/** The most passages from elsewhere that follow the best one. */
const SUPPORT_MAX = 4
/** A passage with a larger share of its stems in a chosen one repeats it. */
const REPEATED_MAX = 0.75
/** The length limit of a sentence that is quoted only for the sentences around it. */
const BRIDGE_CHARACTERS_MAX = 200
const OPENING_CHARACTERS_MAX = 240

export interface Chosen {
  /** The best passage and the text after it. */
  lead: readonly Candidate[]
  /** Other passages that are likely enough to be the answer, or part of it. */
  support: readonly Candidate[]
}

export interface Wants {
  code: boolean
  /** Whether the question asks what something is or does. */
  definition: boolean
}

/** The best passage, the text after it as far as it helps, and others that are worth reading. */
export function choosePassages(candidates: readonly Candidate[], wants: Wants): Chosen {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const [best] = ranked
  if (!best) return { lead: [], support: [] }
  const likelihoodOf = createLikelihoodOf(candidates, best)
  const isFit = (candidate: Candidate): boolean => !isLesserEntry(candidate, best)
  const valueOf = (candidate: Candidate): number =>
    likelihoodOf(candidate) - COST_OF_CHARACTER * candidate.passage.text.length
  const lead = [best, ...continuing(best, candidates.filter(isFit), wants, valueOf)]
  const opening = wants.definition ? openingOf(best, candidates) : undefined
  if (opening !== undefined && !lead.includes(opening)) {
    // With the score of the best passage, reading order decides.
    opening.score = best.score
    lead.push(opening)
  }
  const support: Candidate[] = []
  for (const candidate of ranked.filter(isFit)) {
    if (support.length === SUPPORT_MAX) break
    const chosen = [...lead, ...support]
    const isNear = candidate.section === best.section
    const isWorthReading = valueOf(candidate) > (isNear ? COST_APART : COST_OF_OTHER_SECTION)
    // A sentence that only introduces what follows ("The options are:") supports nothing.
    if (!isWorthReading || candidate.passage.text.endsWith(':')) continue
    if (chosen.includes(candidate) || !hasRoom(candidate, chosen)) continue
    const isLead = isNear && likelihoodOf(candidate) >= IN_ORDER_FROM * likelihoodOf(best)
    const group = isLead ? lead : support
    group.push(candidate)
  }
  return { lead: [...lead, ...bridgesIn(lead, candidates)], support }
}

function createLikelihoodOf(
  candidates: readonly Candidate[],
  best: Candidate,
): (candidate: Candidate) => number {
  const weightOf = ({ score }: Candidate): number => Math.exp(SHARPNESS * (score - best.score))
  const all = candidates.reduce((sum, candidate) => sum + weightOf(candidate), 0)
  return (candidate) => weightOf(candidate) / all
}

/** Whether a passage is another entry of the best one's list or table and covers less, or nothing, of the question. */
function isLesserEntry({ passage, section, covers }: Candidate, best: Candidate): boolean {
  const isSameList = section === best.section && passage.group === best.passage.group
  if (!isSameList || passage.kind === 'sentence') return false
  if (passage.term === null) return covers === 0 && best.covers > 0
  return passage.term !== best.passage.term && covers < best.covers
}

/** The text after the best passage with the highest value. */
function continuing(
  best: Candidate,
  candidates: readonly Candidate[],
  wants: Wants,
  valueOf: (candidate: Candidate) => number,
): Candidate[] {
  const after = candidates.filter(
    ({ section, position }) => section === best.section && position > best.position,
  )
  let [value, most, characters, count] = [0, 0, 0, 0]
  for (const [at, candidate] of after.entries()) {
    const { passage } = candidate
    characters += passage.text.length
    if (characters > CONTINUATION_CHARACTERS_MAX) break
    if (saysLittle(passage) || passage.isTitle || (passage.kind === 'code' && !wants.code)) break
    value += valueOf(candidate) - (goesOn(best, candidate) ? 0 : COST_APART)
    if (at === 0 && goesOn(best, candidate)) value += GAIN_OF_NEXT
    if (value > most) [most, count] = [value, at + 1]
  }
  return after.slice(0, count)
}

/** The first sentence about the best passage's term, which says what the term is. */
function openingOf({ section, passage }: Candidate, candidates: readonly Candidate[]): Candidate | undefined {
  if (passage.term === null || passage.cells.length > 0) return undefined
  const about = candidates.filter(
    (other) =>
      other.section === section && other.passage.term === passage.term && other.passage.kind !== 'code',
  )
  return about.slice(0, 1).find(({ passage: { text } }) => text.length <= OPENING_CHARACTERS_MAX)
}

/** The single sentences that are missing between two chosen ones of a paragraph or list item. */
function bridgesIn(chosen: readonly Candidate[], candidates: readonly Candidate[]): Candidate[] {
  const isChosen = (candidate: Candidate | undefined): boolean =>
    candidate !== undefined && chosen.includes(candidate)
  return candidates.filter((candidate, at) => {
    const [before, after] = [candidates[at - 1], candidates[at + 1]]
    return (
      !isChosen(candidate) &&
      isChosen(before) &&
      isChosen(after) &&
      [before, after].every((one) => one?.section === candidate.section && isSameText(one, candidate)) &&
      candidate.passage.text.length <= BRIDGE_CHARACTERS_MAX &&
      !saysLittle(candidate.passage)
    )
  })
}

/** Whether a later passage belongs to the same paragraph or list item. */
function goesOn(best: Candidate, later: Candidate): boolean {
  const isProse = best.passage.kind === 'sentence' || best.passage.term !== null
  return isProse && isSameText(best, later)
}

function isSameText({ passage: one }: Candidate, { passage: other }: Candidate): boolean {
  return one.kind === other.kind && one.group === other.group && one.term === other.term
}

/** Whether a passage adds information to the chosen ones and fits the length limit. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[]): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some(
    ({ stems }) => shareIn(stems, candidate.stems) > REPEATED_MAX && !differInNumbers(stems, candidate.stems),
  )
  return !isSaid && characters + candidate.passage.text.length <= CHARACTERS_MAX
}

/** Whether each has a number that the other lacks: two amounts or dates are two facts. */
function differInNumbers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return hasOtherNumber(a, b) && hasOtherNumber(b, a)
}

function hasOtherNumber(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((stem) => /\d/.test(stem) && !other.has(stem))
}

/** The share of some stems that a set contains. */
function shareIn(all: ReadonlySet<string>, some: ReadonlySet<string>): number {
  let common = 0
  for (const stem of some) if (all.has(stem)) common++
  return common / Math.max(1, some.size)
}
