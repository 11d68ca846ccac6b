import { type Collection, type CollectionQuery, sampleQueries } from './read-collection.ts'
import type { Workspace } from './workspaces.ts'

/** How well questions that a collection answers are told from questions about other subjects. */
export interface WeakEvidenceResult {
  collection: string
  /** How much evidence there is for each of its own questions. */
  answerable: readonly number[]
  /** And for each question of the other collections. */
  foreign: readonly number[]
}

/** What of a model's scores its calibration says. */
export interface Threshold {
  weakEvidenceBelow: number
  answerableBelow: number
  foreignBelow: number
}

/** Questions taken of a collection: of its own as many as make a hundredth countable, of each other one fewer. */
const OWN_MAX = 250
const FOREIGN_MAX = 60
/** The share of answerable questions that may be flagged. */
const ANSWERABLE_BELOW_MAX = 0.01

/** Measures the evidence for a collection's questions in its own workspace, and for those of `others`, of other subjects. */
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

/** The threshold below which a hundredth of all answerable questions lie at most, cut to four digits. */
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
