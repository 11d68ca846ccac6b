import { AGREEMENT } from '../src/answers/index.ts'

/** Dimensions of the embeddings, and hidden units: more gain little (docs/explanation/evaluation.md). */
const SIZE = 4
const HIDDEN = 32
/** What is left out of the words, classes and hidden units at a step, against learning questions by heart. */
const DROPPED = 0.4
/** Decay of the weights, in shares of the rate. */
const DECAY = 0.3
/** Adam's averages of the gradient and of its square. */
const MEAN_KEPT = 0.9
const SQUARE_KEPT = 0.999
const EPSILON = 1e-8
const START_SIZE = 0.1
/** Passages with a smaller error are skipped. */
const NEGLIGIBLE = 1e-5
const DECIMALS = 4

/** The network as it is stored: numbers as text. */
export interface StoredChooser {
  features: readonly string[]
  asked: Record<string, string>
  said: Record<string, string>
  direct: string
  hidden: string[]
}

/** An example as indexes and numbers. */
export interface Prepared {
  asked: readonly number[]
  passages: readonly { inputs: Float64Array; classes: readonly number[]; answers: boolean }[]
}

/** All weights in one array: embeddings of the question, of the classes, direct weights, hidden units. */
interface Network {
  weights: Float64Array
  gradient: Float64Array
  means: Float64Array
  squares: Float64Array
  /** Inputs that are features. */
  dense: number
  inputs: number
  /** Weights of a hidden unit: inputs, bias, output. */
  unit: number
  saidAt: number
  directAt: number
  hiddenAt: number
}

export function createNetwork(
  grams: number,
  classes: number,
  features: number,
  random: () => number,
): Network {
  const dense = 2 * features
  const inputs = dense + 3 * SIZE
  const unit = inputs + 2
  const saidAt = grams * SIZE
  const directAt = saidAt + classes * (SIZE + 1)
  const hiddenAt = directAt + inputs
  const create = (): Float64Array => new Float64Array(hiddenAt + HIDDEN * unit)
  const weights = create()
  for (let at = 0; at < weights.length; at++) {
    const isDirect = at >= directAt && at < hiddenAt
    const isOwn = at >= saidAt && at < directAt && (at - saidAt) % (SIZE + 1) === SIZE
    const isOutput = at >= hiddenAt && (at - hiddenAt) % unit === unit - 1
    if (!isDirect && !isOwn && !isOutput) weights[at] = START_SIZE * (2 * random() - 1)
  }
  const [gradient, means, squares] = [create(), create(), create()]
  return { weights, gradient, means, squares, dense, inputs, unit, saidAt, directAt, hiddenAt }
}

const KEPT = 1 - DROPPED

function some<T>(all: readonly T[], random: () => number): T[] {
  return all.filter(() => random() >= DROPPED)
}

function plus(array: Float64Array, at: number, by: number): void {
  array[at] = (array[at] ?? 0) + by
}

/** A question at a training step: what is left of its words, and which hidden units are on. */
interface Step {
  words: readonly number[]
  scale: number
  asked: Float64Array
  on: readonly number[]
}

/** A passage at a training step. */
interface Passed {
  inputs: Float64Array
  classes: readonly number[]
  scale: number
  score: number
  active: readonly number[]
}

/** Adds the gradient of one question. */
export function learn(
  network: Network,
  { asked, passages }: Prepared,
  batch: number,
  random: () => number,
): void {
  const words = some(asked, random)
  const scale = 1 / KEPT / Math.sqrt(Math.max(1, asked.length))
  const sum = new Float64Array(SIZE)
  for (const gram of words)
    for (let d = 0; d < SIZE; d++) plus(sum, d, scale * (network.weights[gram * SIZE + d] ?? 0))
  const on = Array.from({ length: HIDDEN }, () => (random() >= DROPPED ? 1 / KEPT : 0))
  const step = { words, scale, asked: sum, on }
  const passed = passages.map((passage) => pass(network, passage, step, random))
  const slopes = slopesOf(
    passed.map(({ score }) => score),
    passages.map(({ answers }) => answers),
  )
  const askedSlopes = new Float64Array(SIZE)
  for (const [at, one] of passed.entries()) {
    const slope = (slopes[at] ?? 0) / batch
    if (Math.abs(slope) * batch >= NEGLIGIBLE) passBack(network, one, step, slope, askedSlopes)
  }
  for (const gram of words)
    for (let d = 0; d < SIZE; d++) plus(network.gradient, gram * SIZE + d, (askedSlopes[d] ?? 0) * scale)
}

function pass(
  network: Network,
  passage: Prepared['passages'][number],
  step: Step,
  random: () => number,
): Passed {
  const { weights, dense, inputs: count, saidAt, directAt } = network
  const classes = some(passage.classes, random)
  const scale = 1 / KEPT / Math.sqrt(Math.max(1, passage.classes.length))
  const inputs = new Float64Array(count)
  inputs.set(passage.inputs)
  let score = 0
  for (const one of classes) {
    const from = saidAt + one * (SIZE + 1)
    for (let d = 0; d < SIZE; d++) plus(inputs, dense + SIZE + d, scale * (weights[from + d] ?? 0))
    score += (weights[from + SIZE] ?? 0) / KEPT
  }
  for (let d = 0; d < SIZE; d++) {
    const [one = 0, other = 0] = [step.asked[d], inputs[dense + SIZE + d]]
    inputs[dense + d] = one
    inputs[dense + 2 * SIZE + d] = one * other
    score += AGREEMENT * one * other
  }
  for (let n = 0; n < count; n++) score += (weights[directAt + n] ?? 0) * (inputs[n] ?? 0)
  const active = step.on.map((on, unit) => activate(network, inputs, on, unit))
  for (const [unit, value] of active.entries()) score += outputOf(network, unit) * value
  return { inputs, classes, scale, score, active }
}

function activate(
  { weights, inputs: count, hiddenAt, unit }: Network,
  inputs: Float64Array,
  on: number,
  at: number,
) {
  if (on === 0) return 0
  const from = hiddenAt + at * unit
  let sum = weights[from + count] ?? 0
  for (let n = 0; n < count; n++) sum += (weights[from + n] ?? 0) * (inputs[n] ?? 0)
  return Math.max(0, sum) * on
}

function outputOf({ weights, inputs, hiddenAt, unit }: Network, at: number): number {
  return weights[hiddenAt + at * unit + inputs + 1] ?? 0
}

/** Adds the gradient of one passage. */
function passBack(
  network: Network,
  passed: Passed,
  step: Step,
  slope: number,
  askedSlopes: Float64Array,
): void {
  const { weights, gradient, dense, inputs: count, saidAt, directAt } = network
  const { inputs, classes, scale } = passed
  const back = new Float64Array(count)
  for (let n = 0; n < count; n++) {
    plus(gradient, directAt + n, slope * (inputs[n] ?? 0))
    back[n] = slope * (weights[directAt + n] ?? 0)
  }
  for (const [unit, value] of passed.active.entries())
    if (value !== 0) hiddenBack(network, inputs, { unit, value, on: step.on[unit] ?? 0, slope }, back)
  for (let d = 0; d < SIZE; d++) {
    const [one = 0, other = 0] = [inputs[dense + d], inputs[dense + SIZE + d]]
    const both = (back[dense + 2 * SIZE + d] ?? 0) + slope * AGREEMENT
    askedSlopes[d] = (askedSlopes[d] ?? 0) + (back[dense + d] ?? 0) + both * other
    const said = ((back[dense + SIZE + d] ?? 0) + both * one) * scale
    for (const name of classes) plus(gradient, saidAt + name * (SIZE + 1) + d, said)
  }
  for (const name of classes) plus(gradient, saidAt + name * (SIZE + 1) + SIZE, slope / KEPT)
}

function hiddenBack(
  network: Network,
  inputs: Float64Array,
  { unit, value, on, slope }: { unit: number; value: number; on: number; slope: number },
  back: Float64Array,
): void {
  const { weights, gradient, inputs: count } = network
  const from = network.hiddenAt + unit * network.unit
  plus(gradient, from + count + 1, slope * value)
  const own = slope * outputOf(network, unit) * on
  plus(gradient, from + count, own)
  for (let n = 0; n < count; n++) {
    plus(gradient, from + n, own * (inputs[n] ?? 0))
    plus(back, n, own * (weights[from + n] ?? 0))
  }
}

/** Adam's step. */
export function update({ weights, gradient, means, squares }: Network, rate: number, step: number): void {
  for (let at = 0; at < weights.length; at++) {
    const slope = gradient[at] ?? 0
    const mean = MEAN_KEPT * (means[at] ?? 0) + (1 - MEAN_KEPT) * slope
    const square = SQUARE_KEPT * (squares[at] ?? 0) + (1 - SQUARE_KEPT) * slope * slope
    means[at] = mean
    squares[at] = square
    const size = Math.sqrt(square / (1 - SQUARE_KEPT ** step)) + EPSILON
    weights[at] = (weights[at] ?? 0) * (1 - rate * DECAY) - (rate * (mean / (1 - MEAN_KEPT ** step))) / size
  }
}

function textOf(weights: Float64Array, from: number, count: number): string {
  return [...weights.subarray(from, from + count)].map((one) => Number(one.toFixed(DECIMALS))).join(' ')
}

export function store(
  { weights, inputs, unit, saidAt, directAt, hiddenAt }: Network,
  { grams, classes, features }: Record<'grams' | 'classes' | 'features', readonly string[]>,
): StoredChooser {
  return {
    features,
    asked: Object.fromEntries(grams.map((gram, at) => [gram, textOf(weights, at * SIZE, SIZE)])),
    said: Object.fromEntries(
      classes.map((name, at) => [name, textOf(weights, saidAt + at * (SIZE + 1), SIZE + 1)]),
    ),
    direct: textOf(weights, directAt, inputs),
    hidden: Array.from({ length: HIDDEN }, (_, at) => textOf(weights, hiddenAt + at * unit, unit)),
  }
}

/** The slope of the loss at each score: the softmax's share, less the share among the passages that answer. */
function slopesOf(scores: readonly number[], answers: readonly boolean[]): number[] {
  const highest = Math.max(...scores)
  const shares = scores.map((score) => Math.exp(score - highest))
  const all = shares.reduce((sum, share) => sum + share, 0)
  const right = shares.reduce((sum, share, at) => sum + (answers[at] ? share : 0), 0)
  return shares.map(
    (share, at) => share / all - (answers[at] ? share / Math.max(right, Number.MIN_VALUE) : 0),
  )
}
