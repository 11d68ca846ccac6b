/** The passages of one question as rows of features, and which of them answer it. */
export interface Example {
  passages: readonly (readonly number[])[]
  /** At least one is true. */
  answers: readonly boolean[]
}

export interface FitOptions {
  /** The initial weights, to which the fit stays close. */
  start: readonly number[]
  /** Indexes of weights that keep their initial value. */
  fixed: ReadonlySet<number>
  /** The cost of a weight's distance from its start. */
  pull: number
  steps: number
}

/** How sharply scores separate passages. */
const SHARPNESS = 8
const RATE = 0.02
/** Decay rates of Adam's averages of the gradient and its square. */
const MEAN_KEPT = 0.9
const SQUARE_KEPT = 0.999
const EPSILON = 1e-8
/** Passages with a smaller error are skipped. */
const NEGLIGIBLE = 1e-6

/**
 * Fits weights with Adam so that the answering passages get most of a softmax over all passages of a
 * question. Deterministic for the same examples in the same order.
 */
export function fitWeights(
  examples: readonly Example[],
  { start, fixed, pull, steps }: FitOptions,
): number[] {
  const weights = [...start]
  const means = start.map(() => 0)
  const squares = start.map(() => 0)
  for (let step = 1; step <= steps; step++) {
    const gradient = gradientOf(examples, weights, { start, pull })
    for (const [at, slope] of gradient.entries()) {
      if (fixed.has(at)) continue
      const mean = MEAN_KEPT * (means[at] ?? 0) + (1 - MEAN_KEPT) * slope
      const square = SQUARE_KEPT * (squares[at] ?? 0) + (1 - SQUARE_KEPT) * slope * slope
      means[at] = mean
      squares[at] = square
      const size = Math.sqrt(square / (1 - SQUARE_KEPT ** step)) + EPSILON
      weights[at] = (weights[at] ?? 0) - (RATE * (mean / (1 - MEAN_KEPT ** step))) / size
    }
  }
  return weights
}

/** The share of examples whose best passage answers. */
export function shareRight(examples: readonly Example[], weights: readonly number[]): number {
  const right = examples.filter(({ passages, answers }) => {
    const scores = passages.map((features) => weigh(features, weights))
    return answers[scores.indexOf(Math.max(...scores))]
  })
  return right.length / Math.max(1, examples.length)
}

function gradientOf(
  examples: readonly Example[],
  weights: readonly number[],
  { start, pull }: Pick<FitOptions, 'start' | 'pull'>,
): number[] {
  const gradient = weights.map((weight, at) => pull * (weight - (start[at] ?? 0)))
  for (const { passages, answers } of examples) {
    const scores = passages.map((features) => SHARPNESS * weigh(features, weights))
    const highest = Math.max(...scores)
    const shares = scores.map((score) => Math.exp(score - highest))
    const all = sum(shares)
    const right = sum(shares.filter((_, at) => answers[at]))
    for (const [at, features] of passages.entries()) {
      const share = shares[at] ?? 0
      const slope = share / all - (answers[at] ? share / right : 0)
      if (Math.abs(slope) < NEGLIGIBLE) continue
      for (const [feature, value] of features.entries())
        gradient[feature] = (gradient[feature] ?? 0) + (SHARPNESS * slope * value) / examples.length
    }
  }
  return gradient
}

function weigh(features: readonly number[], weights: readonly number[]): number {
  let total = 0
  for (const [at, value] of features.entries()) total += value * (weights[at] ?? 0)
  return total
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
