import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

import {
  decodeArtifact,
  encodeArtifact,
  type ModelId,
} from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { artifactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import { fetchPairs } from './fetch-pairs.ts'
import { learnMeaning } from './learn-meaning.ts'
import { printProgress } from './print-progress.ts'
import { describePairSources } from './sources-record.ts'

const MODEL_ID: ModelId = 'builtin-2'

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: '/var/tmp/embedder-training' },
    base: { type: 'string', default: artifactPath('builtin-1') },
    out: { type: 'string', default: artifactPath(MODEL_ID) },
    record: { type: 'string', default: new URL('SOURCES-2.md', import.meta.url).pathname },
  },
})

await train()

/**
 * Trains `builtin-2` from the vectors of `builtin-1` and pairs of texts, and writes the artifact and the
 * record of its sources.
 */
async function train(): Promise<void> {
  const { packages, pairs } = await fetchPairs(values.cache, printProgress)
  const base = decodeArtifact(await readFile(values.base), values.base, 'builtin-1')
  const artifact = encodeArtifact(learnMeaning(base, pairs, printProgress), MODEL_ID)
  await writeFile(values.out, artifact)
  await writeFile(values.record, describePairSources(MODEL_ID, packages, pairs.kinds, artifact))
  printProgress(`wrote ${MODEL_ID}, ${artifact.length} bytes, to ${values.out}`)
}
