import { readFileSync } from 'node:fs'

import { loadBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'

/** How long the built-in embedding model takes to load, for a chunk of 200 words and for a question: `node bench/embedder.ts`. */
const ROUNDS = 2_000
const WORDS = readFileSync(new URL('../training/README.md', import.meta.url), 'utf8').split(/\s+/)
const QUESTION = 'How do I get my money back for a train ticket that I bought?'

const started = performance.now()
const model = await loadBuiltinModel()
process.stdout.write(`load      ${(performance.now() - started).toFixed(1)} ms\n`)

// A number and a place of its own keep each text new, as chunks and questions are.
await report('200 words', (round) => {
  const from = round % (WORDS.length - 200)
  return model.embedDocuments([{ title: `Page ${round}`, text: WORDS.slice(from, from + 200).join(' ') }])
})
await report('question ', (round) => model.embedQuery(`${round} ${QUESTION}`))

async function report(name: string, embed: (round: number) => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now()
    await embed(round)
    times.push(1_000 * (performance.now() - from))
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(share * ROUNDS)] ?? 0).toFixed(0)
  process.stdout.write(`${name} p50 ${at(0.5)} µs, p95 ${at(0.95)} µs\n`)
}
