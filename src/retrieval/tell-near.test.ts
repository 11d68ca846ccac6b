import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOneGo } from '../kernel/slices.ts'
import type { Candidates, WholeCopy } from '../vector-memory/index.ts'
import type { NearestQuery } from './find-nearest.ts'
import { createKept, type KeptChunk, nameOf } from './kept-chunks.ts'
import { distanceOf, multiplierOf, type SumOrder, sumOfSquares } from './sum-order.ts'
import { tellingNear } from './tell-near.ts'

const DIMENSIONS = 16
const ORDER: SumOrder = { lanes: 4, fold: 'neighbours' }
const STAGE = { revision: 1, isConfirmed: true }
const COPY: WholeCopy = {
  stage: STAGE,
  rows: 0,
  written: 0,
  vectorNumbers: 0,
  candidates: () => [],
  later: () => {},
}
const SHOWN = {
  title: '',
  content: '',
  url: null,
  provider: 'notion',
  metadata: {},
  syncedAt: new Date(0),
} as const

const vector = fc
  .array(fc.integer({ min: -3, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => new Float16Array(values))

function queryOf(values: Float16Array, limit: number): NearestQuery {
  return {
    organizationId: '',
    model: { id: 1, name: 'test' },
    vector: new Float32Array(values),
    limit,
    meaning: null,
    providers: null,
    filter: {},
    entityIds: null,
    seenRevision: null,
  }
}

const scoreOf = (one: Float16Array, other: Float16Array): number =>
  1 - distanceOf(multiplierOf(one, ORDER).with(other), sumOfSquares(one, ORDER), sumOfSquares(other, ORDER))

describe('how near it is that a copy proposes', () => {
  it('is told of all that may be among the nearest, and of what cannot be nothing is asked', () => {
    const chunk = fc.record({
      values: vector,
      slack: fc.double({ min: 0, max: 0.3, noNaN: true }),
      isKept: fc.boolean(),
    })
    fc.assert(
      fc.property(
        vector,
        fc.array(chunk, { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (asked, chunks, limit) => {
          const kept = createKept(2 ** 20)
          const keys = chunks
            .map(({ values, slack, isKept }, version) => {
              const key = {
                itemId: `${version}`,
                position: 0,
                version,
                atMost: scoreOf(asked, values) + slack,
              }
              const of: KeptChunk = {
                values,
                squares: sumOfSquares(values, ORDER),
                order: ORDER,
                shown: SHOWN,
              }
              if (isKept) kept.set(nameOf(key), of)
              return key
            })
            .toSorted((one, other) => other.atMost - one.atMost)
          const proposed: Candidates = { keys, floor: 0, stage: STAGE, copy: COPY }
          const told = inOneGo(tellingNear({ of: () => kept }, queryOf(asked, limit), proposed, ORDER))

          const known = chunks
            .flatMap(({ values, isKept }) => (isKept ? [scoreOf(asked, values)] : []))
            .filter((score) => score > 0)
            .toSorted((one, other) => other - one)
          expect(told.near.slice(0, limit).map((near) => near.chunk.score)).toEqual(known.slice(0, limit))
          const last = known[limit - 1] ?? 0
          const unknown = keys.filter(({ version, atMost }) => !chunks[version]?.isKept && atMost >= last)
          expect(told.unknown).toEqual(unknown)
        },
      ),
    )
  })
})
