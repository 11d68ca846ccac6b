import type { Candidate } from './candidate.ts'
import { pointsBack, saysLittle } from './passage.ts'
import { SHARPNESS } from './score-passages.ts'

/** A value, option, or definition that covers this share of the question is taken as the answer. */
const SURE_COVERS_MIN = 0.4
/** Above this gain, a passage clearly contains the requested type of information. */
const SURE_GAINS_OVER = 0.7
/** Below this likelihood, the best passage is one of several possible answers. */
const UNSURE_BELOW = 0.7
/** A passage from the best one's section joins it from this share of its likelihood. */
const IN_ORDER_FROM = 0.4
/** Two passages that share more of their stems are duplicates. */
const OVERLAP_MAX = 0.75
/** A sentence shorter than this is followed by the next one of its paragraph. */
const GOES_ON_BELOW = 90
const GOES_ON_CHARACTERS_MAX = 260
const CODE_AFTER_MAX = 240

/** Limits for the passages shown with the best one. */
interface Limits {
  supportingMax: number
  /** Stops adding passages at this combined likelihood. */
  likelyEnough: number
  /** The minimum likelihood of a supporting passage, relative to the best one. */
  shareMin: number
  charactersMax: number
  /** The length limit of the best passage with the rest of its paragraph or list item. */
  paragraphMax: number
}
const LIKELY: Limits = {
  supportingMax: 2,
  likelyEnough: 0.95,
  shareMin: 0.03,
  charactersMax: 560,
  paragraphMax: 0,
}
const SURE: Limits = { ...LIKELY, shareMin: 0.5 }
const UNSURE: Limits = {
  supportingMax: 6,
  likelyEnough: 0.99,
  shareMin: 0.02,
  charactersMax: 800,
  paragraphMax: 250,
}

/** The passages of an answer. */
export interface Chosen {
  /** The best passage and its continuation. */
  lead: readonly Candidate[]
  /** Passages that complete it or are alternative answers. */
  support: readonly Candidate[]
}

/**
 * The best passage with its continuation and support: at most two passages if it is likely the answer; otherwise its
 * paragraph and the next best passages, up to 800 characters.
 */
export function choosePassages(candidates: readonly Candidate[], wants: { code: boolean }): Chosen {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const best = ranked[0]
  if (!best) return { lead: [], support: [] }
  const likely = likelihoods(ranked)
  const limits = limitsFor(best, likely[0] ?? 1)
  const lead = limits === SURE ? [best] : [best, ...continuing(best, candidates, wants, limits)]
  const support: Candidate[] = []
  let sum = likely[0] ?? 1
  for (const [at, candidate] of ranked.entries()) {
    const share = likely[at] ?? 0
    if (lead.includes(candidate)) continue
    if (support.length >= limits.supportingMax || sum >= limits.likelyEnough) break
    if (share < limits.shareMin * (likely[0] ?? 1)) break
    sum += share
    if (!hasRoom(candidate, [...lead, ...support], limits.charactersMax)) continue
    const isAbout = candidate.section === best.section && share >= IN_ORDER_FROM * (likely[0] ?? 1)
    if (isAbout) lead.push(candidate)
    else support.push(candidate)
  }
  return { lead, support }
}

function likelihoods(ranked: readonly Candidate[]): number[] {
  const best = ranked[0]?.score ?? 0
  const shares = ranked.map(({ score }) => Math.exp(SHARPNESS * (score - best)))
  const all = shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share) => share / all)
}

/**
 * An option, setting, list term, or requested default stands alone. A passage that is one of several likely ones gets
 * support.
 */
function limitsFor(best: Candidate, likelihood: number): Limits {
  const isStructured = best.passage.term !== null && best.passage.cells.length === 0
  const isSure = (isStructured || best.gains > SURE_GAINS_OVER) && best.covers >= SURE_COVERS_MIN
  if (likelihood < UNSURE_BELOW) return UNSURE
  return isSure ? SURE : LIKELY
}

/**
 * The continuation of a passage: the rest of its paragraph up to a limit, the next sentence if it is short or
 * unfinished, or the command that it introduces.
 */
function continuing(
  best: Candidate,
  candidates: readonly Candidate[],
  wants: { code: boolean },
  { paragraphMax }: Limits,
): Candidate[] {
  const { kind, text } = best.passage
  const after = candidates.filter(
    ({ section, position }) => section === best.section && position > best.position,
  )
  const [next] = after
  if (next === undefined || kind === 'code') return []
  if (next.passage.kind === 'code')
    return wants.code && next.passage.text.length <= CODE_AFTER_MAX ? [next] : []
  const end = after.findIndex((other) => !goesOn(best, other))
  const paragraph = end === -1 ? after : after.slice(0, end)
  let characters = text.length
  const fitting = paragraph.filter(({ passage }) => (characters += passage.text.length) <= paragraphMax)
  if (fitting.length > 0) return fitting
  const needsNext = pointsBack(next.passage) || text.length < GOES_ON_BELOW || next.gains > best.gains
  const isNext = kind === 'sentence' && paragraph.length > 0 && needsNext
  return isNext && next.passage.text.length <= GOES_ON_CHARACTERS_MAX ? [next] : []
}

/** Whether a later passage belongs to the same paragraph or list item. */
function goesOn({ passage: { kind, group, term } }: Candidate, { passage }: Candidate): boolean {
  const isSame = passage.kind === kind && passage.group === group && passage.term === term
  return isSame && !saysLittle(passage)
}

/** Whether a passage adds information to the chosen ones and fits the length limit. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[], charactersMax: number): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some((other) => overlap(other.stems, candidate.stems) > OVERLAP_MAX)
  return !isSaid && characters + candidate.passage.text.length <= charactersMax
}

/** The share of the smaller set that the other contains. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const stem of small) if (large.has(stem)) common++
  return common / Math.max(1, small.size)
}
