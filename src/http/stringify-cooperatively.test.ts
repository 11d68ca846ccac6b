import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringifyCooperatively } from './stringify-cooperatively.ts'

it('writes a response exactly as JSON.stringify does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.array(fc.jsonValue()))),
      async (value) => {
        expect(await stringifyCooperatively(value)).toBe(JSON.stringify(value))
      },
    ),
  )
  const odd = { a: undefined, b: [undefined, 1], c: new Date(0), d: { e: undefined } }
  expect(await stringifyCooperatively(odd)).toBe(JSON.stringify(odd))
})

it('yields to other work while it writes a large response', async () => {
  let loops = 0
  const counting = setInterval(() => (loops += 1), 0)
  await stringifyCooperatively({ list: Array.from({ length: 100 }, () => 'x'.repeat(200_000)) })
  clearInterval(counting)
  expect(loops).toBeGreaterThan(5)
})

it('writes one long text in each iteration of the event loop', async () => {
  let iteration = 0
  let counting = setImmediate(function count() {
    iteration += 1
    counting = setImmediate(count)
  })
  const writtenIn: number[] = []
  const written = { toJSON: () => writtenIn.push(iteration) }
  const item = { body: 'x'.repeat(1_000_000), written }
  await Promise.all(Array.from({ length: 10 }, () => stringifyCooperatively({ item })))
  clearImmediate(counting)
  expect(new Set(writtenIn).size).toBe(10)
})
