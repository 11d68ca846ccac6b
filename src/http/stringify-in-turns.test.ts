import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringifyInTurns } from './stringify-in-turns.ts'

it('writes a response exactly as JSON.stringify does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.array(fc.jsonValue()))),
      async (value) => {
        expect(await stringifyInTurns(value)).toBe(JSON.stringify(value))
      },
    ),
  )
  const odd = { a: undefined, b: [undefined, 1], c: new Date(0), d: { e: undefined } }
  expect(await stringifyInTurns(odd)).toBe(JSON.stringify(odd))
})

it('yields to other work while it writes a large response', async () => {
  let turns = 0
  const counting = setInterval(() => (turns += 1), 0)
  await stringifyInTurns({ list: Array.from({ length: 100 }, () => 'x'.repeat(200_000)) })
  clearInterval(counting)
  expect(turns).toBeGreaterThan(5)
})
