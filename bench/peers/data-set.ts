import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { benchDocument, benchQuery } from '../corpus.ts'

/** Numbers of a vector. */
export const DIMENSIONS = 1_024
/** Words of a document, which fit in one chunk of the service, so that all engines have as many vectors. */
const WORDS = 140
/** One document in this many has the filter's provider. */
const RARE_EVERY = 100
const EMBEDDED_AT_ONCE = 500
const FOLDER = join('.cache', 'bench-peers')

export const COMMON_PROVIDER = 'notion'
export const RARE_PROVIDER = 'slack'
type BenchProvider = typeof COMMON_PROVIDER | typeof RARE_PROVIDER

/** The input of every engine: the same texts, vectors and questions. */
export interface DataSet {
  size: number
  /** The rows' vectors, concatenated, as little-endian 32-bit floats: `size` times `DIMENSIONS`. */
  vectors: Float32Array
  /** The same in a file. */
  file: string
  questions: readonly Question[]
}

interface Question {
  text: string
  vector: Float32Array
}

/** The document of a row: one chunk. */
export function documentOf(row: number): { title: string; body: string; provider: BenchProvider } {
  return { ...benchDocument(row, WORDS), provider: providerOf(row) }
}

/** The provider of a row's document. */
export function providerOf(row: number): BenchProvider {
  return row % RARE_EVERY === 0 ? RARE_PROVIDER : COMMON_PROVIDER
}

/** The first `size` rows with the built-in model's vectors, which are cached in `.cache/`. */
export async function prepareDataSet(size: number, questions: number): Promise<DataSet> {
  const model = await loadBuiltinModel()
  const file = join(FOLDER, `${model.id}-${size}.f32`)
  const bytes = size * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT
  if ((await sizeOf(file)) !== bytes) await writeVectors(file, size, model)
  const { buffer, byteOffset } = await readFile(file)
  return {
    size,
    vectors: new Float32Array(buffer, byteOffset, size * DIMENSIONS),
    file,
    questions: await Promise.all(
      Array.from({ length: questions }, async (_, number) => {
        const text = benchQuery(number)
        return { text, vector: await model.embedQuery(text) }
      }),
    ),
  }
}

/** The vector of a row; a view, not a copy. */
export function vectorOf({ vectors }: DataSet, row: number): Float32Array {
  return vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)
}

async function sizeOf(file: string): Promise<number | null> {
  return await stat(file).then(
    ({ size }) => size,
    () => null,
  )
}

/** Renamed to its name only when complete. */
async function writeVectors(
  file: string,
  size: number,
  model: Awaited<ReturnType<typeof loadBuiltinModel>>,
): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  const handle = await open(unfinished, 'w')
  try {
    for (let from = 0; from < size; from += EMBEDDED_AT_ONCE) {
      const rows = Array.from({ length: Math.min(EMBEDDED_AT_ONCE, size - from) }, (_, n) => from + n)
      const inputs = rows.map(documentOf).map(({ title, body }) => ({ title, text: body }))
      const vectors = await model.embedDocuments(inputs)
      await handle.write(
        Buffer.concat(
          vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)),
        ),
      )
    }
  } finally {
    await handle.close()
  }
  await rename(unfinished, file)
}
