import { type Collection, type CollectionQuery, sampleQueries } from './read-collection.ts'
import type { Workspace } from './workspaces.ts'

/** How well questions that a collection answers are distinguished from questions on other subjects. */
export interface WeakEvidenceResult {
  collection: string
  /** The evidence for each of its own questions. */
  answerable: readonly number[]
  /** The evidence for each question of the other collections. */
  foreign: readonly number[]
}

/** A model's calibration. */
export interface Threshold {
  weakEvidenceBelow: number
  answerableBelow: number
  foreignBelow: number
}

/** Questions per collection: of its own, enough for 1% to be countable; fewer of each other one. */
const OWN_MAX = 250
const FOREIGN_MAX = 60
/** The share of answerable questions that may be flagged. */
const ANSWERABLE_BELOW_MAX = 0.01

/**
 * Measures the evidence for a collection's questions in its own workspace, and for those of `others`, on
 * other subjects.
 */
export async function evaluateWeakEvidence(
  collection: Collection,
  others: readonly Collection[],
  workspace: Workspace,
): Promise<WeakEvidenceResult> {
  const measure = async (queries: readonly CollectionQuery[]): Promise<number[]> => {
    const measured: number[] = []
    for (const { text } of queries) measured.push(await workspace.evidence(text))
    return measured
  }
  const foreign = others.flatMap((other) => sampleQueries(other, FOREIGN_MAX).queries)
  return {
    collection: collection.name,
    answerable: await measure(sampleQueries(collection, OWN_MAX).queries),
    foreign: await measure(foreign),
  }
}

/** The threshold that at most 1% of all answerable questions are below, cut to four digits. */
export function chooseThreshold(results: readonly WeakEvidenceResult[]): Threshold {
  const answerable = results.flatMap((one) => one.answerable).toSorted((a, b) => a - b)
  const foreign = results.flatMap((one) => one.foreign)
  const chosen = answerable[Math.floor(ANSWERABLE_BELOW_MAX * answerable.length)] ?? 0
  const weakEvidenceBelow = Math.floor(chosen * 10_000) / 10_000
  return {
    weakEvidenceBelow,
    answerableBelow: roundedShare(answerable, weakEvidenceBelow),
    foreignBelow: roundedShare(foreign, weakEvidenceBelow),
  }
}

/** The share of values below a threshold. */
export function shareBelow(values: readonly number[], threshold: number): number {
  return values.filter((value) => value < threshold).length / Math.max(1, values.length)
}

function roundedShare(values: readonly number[], threshold: number): number {
  return Number(shareBelow(values, threshold).toFixed(3))
}
