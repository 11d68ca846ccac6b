import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { Factors, LANES, type Lanes } from './products.ts'

/**
 * In which order a database adds up the 32-bit products of two vectors of halves: each in its turn to one of `lanes` sums, which
 * are then added up as `fold` says, and what is left over in the end. It depends on the processor and the compiler (`halfutils.c`
 * of pgvector). The product of two halves has no more digits than 32 bits hold, so that the order is all there is to know.
 */
export interface SumOrder {
  lanes: Lanes
  fold: 'halves' | 'neighbours' | 'in turn'
}

const FOLDS = ['halves', 'neighbours', 'in turn'] as const
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

/** Some of a vector's numbers, `length` from `from` on. */
interface Part {
  from: number
  length: number
}

/** Multiplies a vector, or a part of it, with the same numbers of others. */
export interface Multiplier {
  with(other: Float16Array, part?: Part): number
}

/** The sum of products of `values` with another vector's, as a database of that order makes it. */
export function multiplierOf(values: Float16Array, order: SumOrder): Multiplier {
  const { lanes } = order
  const factors = new Factors(values)
  const whole: Part = { from: 0, length: values.length }
  return {
    with(other, { from, length } = whole) {
      const { sums, count } = factors.with(other, { from, length, lanes })
      let sum = foldSums(sums, order)
      for (let at = from + count; at < from + length; at++)
        sum = Math.fround(sum + (values[at] ?? 0) * (other[at] ?? 0))
      return sum
    },
  }
}

/** The sum of a vector's squares, as a database of that order makes it. */
export function sumOfSquares(values: Float16Array, order: SumOrder): number {
  return multiplierOf(values, order).with(values)
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
