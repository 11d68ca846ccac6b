import type { Candidate } from './candidate.ts'
import { pointsBack } from './passage.ts'

/** What an answer to one question is made of at most. */
interface Bounds {
  passages: number
  characters: number
  /** A passage supports the best one when it is worth at least this share of it. */
  shareOfBest: number
}
const UNSURE: Bounds = { passages: 3, characters: 600, shareOfBest: 0.72 }
const SURE: Bounds = { passages: 2, characters: 350, shareOfBest: 0.92 }
/** A value, an option or a definition that covers this share of the question is surely what was asked for. */
const SURE_COVERS_MIN = 0.4
/** Only the surest signs of what was asked for gain more. */
const SURE_GAINS_OVER = 0.7
/** A passage below this is not relevant, and never quoted. */
const RELEVANT_FROM = 0.25
/** The best passage of the hit read first supports the best of all from this share on. */
const SHARE_OF_FIRST_MIN = 0.45
/** One that covers nothing new of the question has to be nearly as good as the best. */
const SHARE_WITHOUT_NEWS_MIN = 0.85
const NEWS_MIN = 0.08
/** Two passages that share more of their stems than this say the same. */
const OVERLAP_MAX = 0.6
/** A sentence shorter than this is followed by the next one of its paragraph. */
const GOES_ON_BELOW = 90
const GOES_ON_CHARACTERS_MAX = 260
/** Steps, lists and what leads into code are shown as far as they fit. */
const BLOCK_CHARACTERS_MAX = 900
const CODE_AFTER_MAX = 240

/** The passage that answers best with what continues it, then at most two that support it. */
export function choosePassages(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  wants: { code: boolean },
): Candidate[] {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const best = ranked[0]
  if (!best) return []
  const isSureOfBest = isSure(best)
  const bounds = isSureOfBest ? SURE : UNSURE
  const chosen = isSureOfBest ? [best] : [best, ...continuing(best, candidates, wants)]
  const first = isSureOfBest ? undefined : ranked.find(({ hit, isBeside }) => hit === 0 && !isBeside)
  // The hit read first can answer in other words than the question's.
  if (first !== undefined && first.score >= SHARE_OF_FIRST_MIN * best.score) {
    if (!chosen.includes(first) && hasRoom(first, chosen, bounds.characters)) chosen.push(first)
  }
  for (const candidate of ranked.slice(1)) {
    const share = candidate.score / best.score
    if (chosen.length >= bounds.passages || !(share >= bounds.shareOfBest)) break
    if (candidate.score < RELEVANT_FROM || chosen.includes(candidate)) continue
    const helps = share >= SHARE_WITHOUT_NEWS_MIN || addsNews(candidate, chosen, weights)
    if (helps && hasRoom(candidate, chosen, bounds.characters)) chosen.push(candidate)
  }
  return chosen
}

/** Whether it is an option, a setting or a term of a list, or has the default that was asked for: no more is needed then. */
function isSure(best: Candidate): boolean {
  const isStructured = best.passage.term !== null && best.passage.cells.length === 0
  return (isStructured || best.gains > SURE_GAINS_OVER) && best.covers >= SURE_COVERS_MIN
}

/** What continues a passage: the next sentence where it is short or goes on, or the command that it leads into. */
function continuing(
  best: Candidate,
  candidates: readonly Candidate[],
  wants: { code: boolean },
): Candidate[] {
  const after = candidates.find(
    ({ section, position }) => section === best.section && position === best.position + 1,
  )
  if (after === undefined || best.passage.kind === 'code') return []
  const { kind, group, text } = after.passage
  if (kind === 'code') return wants.code && text.length <= CODE_AFTER_MAX ? [after] : []
  const isSame = group === best.passage.group && kind === best.passage.kind && kind === 'sentence'
  const goesOn = pointsBack(after.passage) || best.passage.text.length < GOES_ON_BELOW
  const gainsMore = after.gains > best.gains
  return isSame && (goesOn || gainsMore) && text.length <= GOES_ON_CHARACTERS_MAX ? [after] : []
}

/** Whether a passage says something that the chosen ones do not, and fits beside them. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[], charactersMax: number): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some((other) => overlap(other.stems, candidate.stems) > OVERLAP_MAX)
  // Only the document's title or its neighbors speak for such a sentence.
  const isFiller = candidate.passage.kind === 'sentence' && candidate.covers === 0
  return !isFiller && !isSaid && characters + candidate.passage.text.length <= charactersMax
}

/** Whether it covers a part of the question that the chosen ones do not. */
function addsNews(
  candidate: Candidate,
  chosen: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
): boolean {
  let news = 0
  for (const [stem, weight] of weights) {
    if (candidate.stems.has(stem) && !chosen.some((other) => other.stems.has(stem))) news += weight
  }
  return news >= NEWS_MIN
}

/** The share of the smaller set that the other one has too. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const stem of small) if (large.has(stem)) common++
  return common / Math.max(1, small.size)
}

/** The whole list or table that a passage is of, as far as it fits into an answer; nothing for what is in none. */
export function listAround(item: Candidate | undefined, candidates: readonly Candidate[]): Candidate[] {
  const { kind, group } = item?.passage ?? {}
  if (item === undefined || (kind !== 'item' && kind !== 'row')) return []
  const items = candidates.filter(
    ({ section, passage }) => section === item.section && passage.group === group && passage.kind === kind,
  )
  let characters = 0
  return items.filter(({ passage }) => (characters += passage.text.length) <= BLOCK_CHARACTERS_MAX)
}
