import type { Candidate } from './candidate.ts'

/** What an answer is made of at most. */
interface Bounds {
  passages: number
  characters: number
  /** A passage adds to the answer when it is worth at least this share of the best one. */
  shareOfBest: number
  /** The hits read first that have their best passage in the answer. */
  hitsShown: number
}
const UNSURE: Bounds = { passages: 4, characters: 900, shareOfBest: 0.55, hitsShown: 2 }
const SURE: Bounds = { passages: 2, characters: 350, shareOfBest: 0.9, hitsShown: 0 }
/** A definition that covers this share of the question itself is surely what was asked for. */
const SURE_COVERS_MIN = 0.4
/** Only the surest signs of what was asked for gain more. */
const SURE_GAINS_OVER = 0.3
/** One that covers nothing new of the question goes on from a chosen one of its hit, and has to be nearly as good as the best. */
const SHARE_WITHOUT_NEWS_MIN = 0.8
const NEWS_MIN = 0.08
/** A hit that is to be shown is not when its best passage is worth less than this share of the best one. */
const SHARE_OF_SHOWN_MIN = 0.45
/** Two passages that share more of their stems than this say the same. */
const OVERLAP_MAX = 0.6
/** Steps are shown as far as they fit. */
const STEPS_CHARACTERS_MAX = 600

/**
 * Greedily the best passage that is not yet said, until nothing is good enough or the answer is long enough; then the
 * best ones of the hits read first, as a hit can answer in other words than the question's. A passage that surely has what
 * is asked for stands alone, or with one that is nearly as good.
 */
export function choosePassages(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
): Candidate[] {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const best = ranked[0]
  if (!best) return []
  const bounds = isSure(best) ? SURE : UNSURE
  const chosen = [best]
  for (const candidate of ranked.slice(1)) {
    const share = candidate.score / best.score
    if (chosen.length >= bounds.passages || !(share >= bounds.shareOfBest)) break
    const goesOn = share >= SHARE_WITHOUT_NEWS_MIN && chosen.some(({ hit }) => hit === candidate.hit)
    const helps = goesOn || addsNews(candidate, chosen, weights)
    if (helps && hasRoom(candidate, chosen, bounds.characters)) chosen.push(candidate)
  }
  for (let hit = 0; hit < bounds.hitsShown; hit++) {
    const first = ranked.find((candidate) => candidate.hit === hit)
    const isShown = first === undefined || chosen.some((candidate) => candidate.hit === hit)
    const isGood = first !== undefined && first.score >= SHARE_OF_SHOWN_MIN * best.score
    if (!isShown && isGood && hasRoom(first, chosen, bounds.characters)) chosen.push(first)
  }
  return chosen
}

/**
 * Whether it is an option, a setting or a term of a list, or has the default that was asked for, and covers much of the
 * question: no more is needed then.
 */
function isSure(best: Candidate): boolean {
  const isStructured = best.passage.term !== null && best.passage.cells.length === 0
  return (isStructured || best.gains > SURE_GAINS_OVER) && best.covers >= SURE_COVERS_MIN
}

/** Whether a passage says something that the chosen ones do not, and fits beside them. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[], charactersMax: number): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some((other) => overlap(other.stems, candidate.stems) > OVERLAP_MAX)
  // Only the document's title or its neighbours speak for such a sentence.
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

/** The whole list that an item is of, as far as it fits into an answer; nothing for what is no item. */
export function listAround(item: Candidate | undefined, candidates: readonly Candidate[]): Candidate[] {
  if (item?.passage.kind !== 'item') return []
  const { group } = item.passage
  const items = candidates.filter(({ hit, passage }) => hit === item.hit && passage.group === group)
  let characters = 0
  return items.filter(({ passage }) => (characters += passage.text.length) <= STEPS_CHARACTERS_MAX)
}
