import { WORD_DIMENSIONS } from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { createRandom } from '../src/kernel/seeded-random.ts'
import { products, transpose } from './matrices.ts'

/** Texts as weighted rows of word vectors: text `i` is entries `starts[i]` to `starts[i + 1]`. */
export interface Texts {
  starts: Uint32Array
  rows: Uint32Array
  counts: Float32Array
}

/** Pairs of related texts: text `i` of `left` and text `i` of `right`. */
export interface Pairs {
  left: Texts
  right: Texts
  /** How often each pair is drawn, relative to the others. */
  shares: Float64Array
}

export interface ContrastOptions {
  /** Pairs drawn in total. */
  draws: number
  /** Pairs per step; each is contrasted with all others of its step. */
  batch: number
  temperature: number
  /** Adam's initial step size, which falls linearly to 0. */
  rate: number
}

const FIRST_MOMENT = 0.9
const SECOND_MOMENT = 0.999
const EPSILON = 1e-8
const SEED = 1
const D = WORD_DIMENSIONS

/**
 * Moves word vectors so that the sums of related texts point the same way and those of others do not: InfoNCE
 * in both directions with the other pairs of the step as negatives (Oord et al., Representation Learning with
 * Contrastive Predictive Coding, 2018), by Adam on the rows of the step. A vector's length is its word's
 * weight in a text. Changes `vectors` in place; the same input gives the same bits on the same engine. Calls
 * `report` with the mean loss.
 */
export function contrast(
  vectors: Float32Array,
  pairs: Pairs,
  options: ContrastOptions,
  report: (step: number, steps: number, loss: number) => void,
): void {
  const { batch } = options
  const steps = Math.floor(options.draws / batch)
  const draw = drawer(pairs.shares)
  const adam = createAdam(vectors)
  const pass = createPass(batch, options.temperature)
  let mean = 0
  for (let step = 0; step < steps; step++) {
    const drawn = Uint32Array.from({ length: batch }, draw)
    const used = usedRows(pairs, drawn)
    const gradients = new Float64Array(used.rows.length * D)
    const loss = pass(vectors, pairs, drawn, used.places, gradients)
    adam(used.rows, gradients, options.rate * (1 - step / steps))
    mean = step === 0 ? loss : 0.98 * mean + 0.02 * loss
    if (step % 200 === 0 || step === steps - 1) report(step + 1, steps, mean)
  }
}

/** Draws random pairs in proportion to their shares. */
function drawer(shares: Float64Array): () => number {
  const sums = new Float64Array(shares.length)
  let total = 0
  for (let i = 0; i < shares.length; i++) sums[i] = total += shares[i] ?? 0
  const random = createRandom(SEED)
  return () => {
    const at = random() * total
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) > at) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** The rows of a step in order, and each row's index among them. */
function usedRows(pairs: Pairs, drawn: Uint32Array): { rows: number[]; places: Map<number, number> } {
  const places = new Map<number, number>()
  const rows: number[] = []
  for (const texts of [pairs.left, pairs.right]) {
    for (const pair of drawn) {
      const end = texts.starts[pair + 1] ?? 0
      for (let entry = texts.starts[pair] ?? 0; entry < end; entry++) {
        const row = texts.rows[entry] ?? 0
        if (places.has(row)) continue
        places.set(row, rows.length)
        rows.push(row)
      }
    }
  }
  return { rows, places }
}

/** One step: adds the gradient of each used row to `gradients` and returns the loss. */
function createPass(batch: number, temperature: number) {
  const left = createSide(batch)
  const right = createSide(batch)
  const scores = new Float64Array(batch * batch)
  const turned = new Float64Array(batch * batch)
  return (
    vectors: Float32Array,
    pairs: Pairs,
    drawn: Uint32Array,
    places: Map<number, number>,
    gradients: Float64Array,
  ): number => {
    addUp(left, vectors, pairs.left, drawn)
    addUp(right, vectors, pairs.right, drawn)
    products(left.units, batch, right.units, batch, D, scores)
    const loss = differentiate(scores, batch, temperature)
    transpose(right.units, batch, D, right.turned)
    products(scores, batch, right.turned, D, batch, left.slopes)
    transpose(scores, batch, batch, turned)
    transpose(left.units, batch, D, left.turned)
    products(turned, batch, left.turned, D, batch, right.slopes)
    handBack(left, pairs.left, drawn, places, gradients)
    handBack(right, pairs.right, drawn, places, gradients)
    return loss
  }
}

/** One side's texts of a step: their unit vectors, original lengths, and gradients. */
interface Side {
  units: Float64Array
  turned: Float64Array
  lengths: Float64Array
  slopes: Float64Array
}

function createSide(batch: number): Side {
  const matrix = (): Float64Array => new Float64Array(batch * D)
  return { units: matrix(), turned: matrix(), lengths: new Float64Array(batch), slopes: matrix() }
}

function addUp(side: Side, vectors: Float32Array, texts: Texts, drawn: Uint32Array): void {
  const { units, lengths } = side
  units.fill(0)
  for (let n = 0; n < drawn.length; n++) {
    const pair = drawn[n] ?? 0
    const to = n * D
    const end = texts.starts[pair + 1] ?? 0
    for (let entry = texts.starts[pair] ?? 0; entry < end; entry++) {
      const from = (texts.rows[entry] ?? 0) * D
      const count = texts.counts[entry] ?? 0
      for (let i = 0; i < D; i++) units[to + i] = (units[to + i] ?? 0) + count * (vectors[from + i] ?? 0)
    }
    let squares = 0
    for (let i = 0; i < D; i++) squares += (units[to + i] ?? 0) ** 2
    const length = Math.sqrt(squares) + 1e-6
    lengths[n] = length
    for (let i = 0; i < D; i++) units[to + i] = (units[to + i] ?? 0) / length
  }
}

/** Replaces each cosine with the loss's derivative by it; returns the loss. */
function differentiate(scores: Float64Array, batch: number, temperature: number): number {
  const rowSums = new Float64Array(batch)
  const columnSums = new Float64Array(batch)
  let loss = 0
  for (let i = 0; i < batch; i++) loss -= (scores[i * batch + i] ?? 0) / temperature
  for (let i = 0; i < batch; i++) {
    for (let j = 0; j < batch; j++) {
      // No cosine is above 1, so nothing overflows.
      const chance = Math.exp(((scores[i * batch + j] ?? 0) - 1) / temperature)
      scores[i * batch + j] = chance
      rowSums[i] = (rowSums[i] ?? 0) + chance
      columnSums[j] = (columnSums[j] ?? 0) + chance
    }
  }
  for (let i = 0; i < batch; i++)
    loss += 0.5 * (Math.log(rowSums[i] ?? 0) + Math.log(columnSums[i] ?? 0)) + 1 / temperature
  const scale = 1 / (batch * temperature)
  for (let i = 0; i < batch; i++) {
    for (let j = 0; j < batch; j++) {
      const share = 0.5 * (scores[i * batch + j] ?? 0) * (1 / (rowSums[i] ?? 0) + 1 / (columnSums[j] ?? 0))
      scores[i * batch + j] = scale * (i === j ? share - 1 : share)
    }
  }
  return loss / batch
}

/** Converts gradients of the unit vectors to gradients of the summed word vectors. */
function handBack(
  side: Side,
  texts: Texts,
  drawn: Uint32Array,
  places: Map<number, number>,
  gradients: Float64Array,
): void {
  const { units, lengths, slopes } = side
  for (let n = 0; n < drawn.length; n++) {
    const pair = drawn[n] ?? 0
    const at = n * D
    let along = 0
    for (let i = 0; i < D; i++) along += (units[at + i] ?? 0) * (slopes[at + i] ?? 0)
    const length = lengths[n] ?? 0
    for (let i = 0; i < D; i++)
      slopes[at + i] = ((slopes[at + i] ?? 0) - along * (units[at + i] ?? 0)) / length
    const end = texts.starts[pair + 1] ?? 0
    for (let entry = texts.starts[pair] ?? 0; entry < end; entry++) {
      const to = (places.get(texts.rows[entry] ?? 0) ?? 0) * D
      const count = texts.counts[entry] ?? 0
      for (let i = 0; i < D; i++) gradients[to + i] = (gradients[to + i] ?? 0) + count * (slopes[at + i] ?? 0)
    }
  }
}

/** Kingma and Ba, Adam, 2015; the state of a row stays unchanged while the row is not used. */
function createAdam(vectors: Float32Array) {
  const first = new Float32Array(vectors.length)
  const second = new Float32Array(vectors.length)
  let step = 0
  return (rows: readonly number[], gradients: Float64Array, rate: number): void => {
    step++
    const firstShare = 1 - FIRST_MOMENT ** step
    const secondShare = 1 - SECOND_MOMENT ** step
    for (let n = 0; n < rows.length; n++) {
      const at = (rows[n] ?? 0) * D
      for (let i = 0; i < D; i++) {
        const slope = gradients[n * D + i] ?? 0
        const m = FIRST_MOMENT * (first[at + i] ?? 0) + (1 - FIRST_MOMENT) * slope
        const v = SECOND_MOMENT * (second[at + i] ?? 0) + (1 - SECOND_MOMENT) * slope * slope
        first[at + i] = m
        second[at + i] = v
        vectors[at + i] =
          (vectors[at + i] ?? 0) - (rate * m) / firstShare / (Math.sqrt(v / secondShare) + EPSILON)
      }
    }
  }
}
