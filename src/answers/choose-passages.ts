import type { Candidate } from './candidate.ts'
import { pointsBack, saysLittle } from './passage.ts'

/** How sharply scores separate passages; fitting the weights uses the same value. */
const SHARPNESS = 8
/** Passages of an answer: the best one and up to two that support it. */
const PASSAGES_MAX = 3
/** The chosen passages together are likely enough to have the answer. */
const LIKELY_ENOUGH = 0.75
/** Minimum likelihood of a supporting passage relative to the best one. */
const SHARE_OF_BEST_MIN = 0.1
/** The same if the best one is surely what was asked for. */
const SHARE_OF_SURE_MIN = 0.5
const CHARACTERS_MAX = 560
/** A value, option or definition that covers this share of the question is surely what was asked for. */
const SURE_COVERS_MIN = 0.4
/** Only the clearest signs of what was asked for gain more. */
const SURE_GAINS_OVER = 0.7
/** Passages below this are irrelevant and never quoted. */
const RELEVANT_FROM = 0.25
/** Two passages that share more of their stems say the same. */
const OVERLAP_MAX = 0.6
/** After a shorter sentence comes the next one of its paragraph. */
const GOES_ON_BELOW = 90
const GOES_ON_CHARACTERS_MAX = 260
const CODE_AFTER_MAX = 240

/** The best passage with its continuation, then up to two that support it. */
export function choosePassages(candidates: readonly Candidate[], wants: { code: boolean }): Candidate[] {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const best = ranked[0]
  if (!best) return []
  const likely = likelihoods(ranked)
  const isSureOfBest = isSure(best)
  let sum = likely[0] ?? 1
  const chosen = isSureOfBest ? [best] : [best, ...continuing(best, candidates, wants)]
  const shareMin = isSureOfBest ? SHARE_OF_SURE_MIN : SHARE_OF_BEST_MIN
  let supporting = 0
  for (const [at, candidate] of ranked.entries()) {
    const share = likely[at] ?? 0
    if (at === 0 || chosen.includes(candidate)) continue
    if (supporting >= PASSAGES_MAX - 1 || sum >= LIKELY_ENOUGH) break
    if (share < shareMin * (likely[0] ?? 1) || candidate.score < RELEVANT_FROM) break
    sum += share
    if (!hasRoom(candidate, chosen)) continue
    chosen.push(candidate)
    supporting++
  }
  return chosen
}

function likelihoods(ranked: readonly Candidate[]): number[] {
  const best = ranked[0]?.score ?? 0
  const shares = ranked.map(({ score }) => Math.exp(SHARPNESS * (score - best)))
  const all = shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share) => share / all)
}

/**
 * Whether it is an option, setting or list term, or has the requested default, so that nothing else is
 * needed.
 */
function isSure(best: Candidate): boolean {
  const isStructured = best.passage.term !== null && best.passage.cells.length === 0
  return (isStructured || best.gains > SURE_GAINS_OVER) && best.covers >= SURE_COVERS_MIN
}

/**
 * What continues a passage: the next sentence if it is short or unfinished, or the command that it
 * introduces.
 */
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
  if (saysLittle(after.passage)) return []
  const goesOn = pointsBack(after.passage) || best.passage.text.length < GOES_ON_BELOW
  const gainsMore = after.gains > best.gains
  return isSame && (goesOn || gainsMore) && text.length <= GOES_ON_CHARACTERS_MAX ? [after] : []
}

/** Whether a passage adds something to the chosen ones and fits beside them. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[]): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some((other) => overlap(other.stems, candidate.stems) > OVERLAP_MAX)
  // Only the document's title or the passage's neighbors match the question.
  const isListed = candidate.passage.kind === 'item' && candidate.passage.label !== null
  const isFiller = candidate.covers === 0 && !isListed
  return !isFiller && !isSaid && characters + candidate.passage.text.length <= CHARACTERS_MAX
}

/** The share of the smaller set that is in the other. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const stem of small) if (large.has(stem)) common++
  return common / Math.max(1, small.size)
}
