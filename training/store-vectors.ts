import { writeFileSync } from 'node:fs'

import { MODEL_ID } from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { loadBuiltinModel } from '../src/inference/embedding-models/builtin/builtin.ts'

/**
 * Writes the current model's vectors, which a test compares bit for bit, as float32, little-endian, base64.
 * Run it after training, or after a change that is meant to move vectors and so has a new model id.
 */
const TARGET = new URL(`../src/inference/embedding-models/builtin/${MODEL_ID}.vectors.json`, import.meta.url)

const SAMPLES = [
  {
    kind: 'document',
    title: 'Travel expenses',
    text: 'Upload the receipts for rail or air fares within thirty days; finance refunds them with the next payroll run.',
  },
  { kind: 'document', title: '', text: 'Zażółć gęślą jaźń. 東京都の天気。 Отпуск сотрудников. zzqx-42' },
  { kind: 'document', title: 'Empty page', text: '' },
  { kind: 'query', title: '', text: 'How do I get my money back for a train ticket?' },
  { kind: 'query', title: '', text: 'what is it' },
]

const model = await loadBuiltinModel()
const stored = []
for (const sample of SAMPLES) {
  const [document] = await model.embedDocuments([sample])
  const vector = sample.kind === 'query' || !document ? await model.embedQuery(sample.text) : document
  const bytes = Buffer.alloc(4 * vector.length)
  for (const [i, one] of vector.entries()) bytes.writeFloatLE(one, 4 * i)
  stored.push({ ...sample, vector: bytes.toString('base64') })
}
writeFileSync(TARGET, `${JSON.stringify(stored, null, 2)}\n`)
