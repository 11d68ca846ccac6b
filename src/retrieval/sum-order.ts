import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'

/**
 * In which order a database adds up the 32-bit products of two vectors of halves: each in its turn to one of `lanes` sums, which
 * are then added up as `fold` says, and what is left over in the end. It depends on the processor and the compiler (`halfutils.c`
 * of pgvector). The product of two halves has no more digits than 32 bits hold, so that the order is all there is to know.
 */
export interface SumOrder {
  /** A power of two. */
  lanes: number
  fold: 'halves' | 'neighbours' | 'in turn'
}

const FOLDS = ['halves', 'neighbours', 'in turn'] as const
const LANES = [1, 2, 4, 8, 16, 32]
const ORDERS: readonly SumOrder[] = LANES.flatMap((lanes) => FOLDS.map((fold) => ({ lanes, fold })))

/** Of some is left over what narrower sums can take in their turn: 7 of 8, 15 of 16, 31 of 32. */
const TRIED_DIMENSIONS = [1024, 1023, 384, 67]
const TRIES = 12

const Tried = z.tuple([z.object({ similarities: z.array(z.number()), products: z.array(z.number()) })])

/**
 * Finds out in which order the database adds up, by vectors of which each order makes another sum.
 * @returns null where it is none of those that are known
 */
export async function findSumOrder(db: Db): Promise<SumOrder | null> {
  const random = seeded()
  const pairs = TRIED_DIMENSIONS.flatMap((dimensions) =>
    Array.from(
      { length: TRIES },
      () => [randomHalves(dimensions, random), randomHalves(dimensions, random)] as const,
    ),
  )
  const of = (operator: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql.join(
      pairs.map(([a, b]) => sql`${encodeHalfvec(a)}::halfvec ${operator} ${encodeHalfvec(b)}::halfvec`),
    )
  const { rows } = await sql`
    select array[${of(sql`<=>`)}]::float8[] as similarities, array[${of(sql`<#>`)}]::float8[] as products`.execute(
    db,
  )
  const [{ similarities, products }] = Tried.parse(rows)
  const isSame = (order: SumOrder): boolean =>
    pairs.every(([a, b], at) => {
      const one = multiplierOf(a, order)
      return (
        distanceOf(one.with(b), sumOfSquares(a, order), sumOfSquares(b, order)) === similarities[at] &&
        -one.with(b) === products[at]
      )
    })
  return ORDERS.find(isSame) ?? null
}

/** The cosine distance that pgvector makes of its sums; not a number where a vector has no length. */
export function distanceOf(product: number, squares: number, otherSquares: number): number {
  const similarity = product / Math.sqrt(squares * otherSquares)
  return 1 - Math.max(-1, Math.min(1, similarity))
}

/** Multiplies a vector, or `length` numbers of it from `from` on, with the same numbers of others. */
export interface Multiplier {
  with(other: Float16Array): number
}

/** The sum of products of `values` with another vector's, as a database of that order makes it. */
export function multiplierOf(
  values: Float16Array,
  order: SumOrder,
  { from, length }: { from: number; length: number } = { from: 0, length: values.length },
): Multiplier {
  const { lanes } = order
  const leftOver = from + length - (length % lanes)
  // What is 0 changes no sum.
  const places = new Uint32Array(length)
  const factors = new Float64Array(length)
  let count = 0
  let inLanes = 0
  for (let at = from; at < from + length; at++) {
    const value = values[at] ?? 0
    if (value === 0) continue
    places[count] = at
    factors[count] = value
    count += 1
    if (at < leftOver) inLanes = count
  }
  const sums = new Float32Array(lanes)
  return {
    with(other) {
      sums.fill(0)
      for (let at = 0; at < inLanes; at++) {
        const place = places[at] ?? 0
        const lane = (place - from) & (lanes - 1)
        sums[lane] = (sums[lane] ?? 0) + (factors[at] ?? 0) * (other[place] ?? 0)
      }
      let sum = foldSums(sums, order)
      for (let at = inLanes; at < count; at++)
        sum = Math.fround(sum + (factors[at] ?? 0) * (other[places[at] ?? 0] ?? 0))
      return sum
    },
  }
}

/** The sum of a vector's squares, as a database of that order makes it. */
export function sumOfSquares(values: Float16Array, order: SumOrder): number {
  const { lanes } = order
  const leftOver = values.length - (values.length % lanes)
  const sums = new Float32Array(lanes)
  for (let at = 0; at < leftOver; at++) {
    const lane = at & (lanes - 1)
    sums[lane] = (sums[lane] ?? 0) + (values[at] ?? 0) ** 2
  }
  let sum = foldSums(sums, order)
  for (let at = leftOver; at < values.length; at++) sum = Math.fround(sum + (values[at] ?? 0) ** 2)
  return sum
}

function foldSums(sums: Float32Array, { fold, lanes }: SumOrder): number {
  switch (fold) {
    case 'in turn':
      return sums.reduce((sum, one) => Math.fround(sum + one))
    case 'halves':
      for (let width = lanes / 2; width >= 1; width /= 2)
        for (let at = 0; at < width; at++) sums[at] = (sums[at] ?? 0) + (sums[at + width] ?? 0)
      return sums[0] ?? 0
    case 'neighbours':
      for (let width = lanes / 2; width >= 1; width /= 2)
        for (let at = 0; at < width; at++) sums[at] = (sums[2 * at] ?? 0) + (sums[2 * at + 1] ?? 0)
      return sums[0] ?? 0
  }
}

/** Numbers between -½ and ½, the same each time (a linear congruential generator, Numerical Recipes, 7.1). */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

function randomHalves(dimensions: number, random: () => number): Float16Array {
  return Float16Array.from({ length: dimensions }, random)
}
