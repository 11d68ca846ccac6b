import { expect, it } from 'vitest'
import { readJson } from './read-json.ts'

it('reads the JSON of a response without a length', async () => {
  expect(await readJson(new Response('{"keys":["ü"]}'), 16)).toEqual({ keys: ['ü'] })
  await expect(readJson(new Response('<html>'), 16)).rejects.toThrow(SyntaxError)
  await expect(readJson(new Response(null), 16)).rejects.toThrow(SyntaxError)
})

it('cancels a response above the limit, also one without an end', async () => {
  let isCanceled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => void (isCanceled = true),
  })
  await expect(readJson(new Response(endless), 10_000)).rejects.toThrow('larger than 10000 bytes')
  expect(isCanceled).toBe(true)
})
