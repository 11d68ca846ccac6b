import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { seededRandom } from '../../test/support/random.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { distanceOf, findSumOrder, multiplierOf, type SumOrder, sumOfSquares } from './sum-order.ts'

const random = seededRandom('sum order')

let database: TestDatabase
let order: SumOrder

beforeAll(async () => {
  database = await createTestDatabase()
  const found = await findSumOrder(database.db)
  if (found === null) throw new Error('this database adds up in an order that is not known')
  order = found
})
afterAll(async () => {
  await database.close()
})

const randomHalves = (dimensions: number, share: number): Float16Array =>
  Float16Array.from({ length: dimensions }, () => (random() < share ? random() - 0.3 : 0))

describe('sums in the order of the database', () => {
  it.each([
    [1024, 0.3],
    [1024, 1],
    [1536, 1],
    [999, 0.5],
    [5, 1],
  ])(
    'are the same to the last digit, of %i numbers of which a share of %f is not 0',
    async (dimensions, share) => {
      const part = { from: Math.floor(dimensions / 3), length: Math.ceil(dimensions / 2) }
      for (let time = 1; time <= 20; time++) {
        const [one, other] = [randomHalves(dimensions, share), randomHalves(dimensions, 1)]
        const [a, b] = [sql`${encodeHalfvec(one)}::halfvec`, sql`${encodeHalfvec(other)}::halfvec`]
        const { rows } = await sql<{ distance: number; product: number; inPart: number }>`
        select ${a} <=> ${b} as distance, -(${a} <#> ${b}) as product,
          -(subvector(${a}, ${part.from + 1}, ${part.length}) <#> subvector(${b}, ${part.from + 1}, ${part.length})) as "inPart"`.execute(
          database.db,
        )
        const multiplier = multiplierOf(one, order)
        const product = multiplier.with(other)
        expect({
          distance: distanceOf(product, sumOfSquares(one, order), sumOfSquares(other, order)),
          product,
          inPart: multiplier.with(other, part),
        }).toEqual(rows[0])
      }
    },
  )
})
