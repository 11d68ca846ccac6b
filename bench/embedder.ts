import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { loadBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'
import { chunkText } from '../src/items/chunk-text.ts'
import { embeddingInput } from '../src/models/index.ts'

/**
 * Measures how long the built-in embedding model takes to load, for a chunk of 200 words and for a question,
 * and its processor time for each chunk of the Markdown in folders (default: the project's documentation):
 * `node bench/embedder.ts [FOLDER…]`.
 */
const ROUNDS = 2_000
const PASSES = 9
const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const WORDS = readFileSync(new URL('../training/README.md', import.meta.url), 'utf8').split(/\s+/)
const QUESTION = 'How do I get my money back for a train ticket that I bought?'

const started = performance.now()
const model = await loadBuiltinModel()
process.stdout.write(`load      ${(performance.now() - started).toFixed(1)} ms\n`)

// A different number and offset make each text new, like real chunks and questions.
await report('200 words', (round) => {
  const from = round % (WORDS.length - 200)
  return model.embedDocuments([{ title: `Page ${round}`, text: WORDS.slice(from, from + 200).join(' ') }])
})
await report('question ', (round) => model.embedQuery(`${round} ${QUESTION}`))
const named = process.argv.slice(2)
for (const folder of named.length > 0 ? named : [DOCS]) await reportFolder(folder)

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

/**
 * The first pass over a folder, and the median of several: an ingesting process has compiled code and cached
 * stems.
 */
async function reportFolder(folder: string): Promise<void> {
  const chunks = chunksOf(folder)
  const times: number[] = []
  for (let pass = 0; pass < PASSES; pass++) {
    const before = process.cpuUsage()
    await model.embedDocuments(chunks)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000 / Math.max(1, chunks.length))
  }
  const [first = 0] = times
  const median = times.toSorted((a, b) => a - b)[Math.floor(PASSES / 2)] ?? 0
  process.stdout.write(
    `${folder}: ${chunks.length} chunks, processor time for each: first ${first.toFixed(3)} ms, median ${median.toFixed(3)} ms\n`,
  )
}

function chunksOf(folder: string): { title: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .flatMap((file) => {
      const title = basename(file, '.md')
      const chunks = chunkText(readFileSync(join(folder, file), 'utf8'))
      return chunks.map((chunk) => embeddingInput(title, chunk))
    })
}
