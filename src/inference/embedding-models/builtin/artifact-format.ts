import { createHash } from 'node:crypto'
import { endianness } from 'node:os'

import { StartupError } from '../../../kernel/errors.ts'

/** The models' ids. A change of code or artifact that moves vectors needs a new id. */
export const MODEL_IDS = ['builtin-1', 'builtin-2', 'builtin-3', 'builtin-4'] as const
export type ModelId = (typeof MODEL_IDS)[number]
/** The model of new vectors; older models serve existing vectors. */
export const MODEL_ID: ModelId = 'builtin-4'
export const WORD_DIMENSIONS = 256

const MAGIC = 'EMBEDDER'
/** Format 1 has a common direction; format 2 has a weight for each stem instead. */
const FORMATS: Readonly<Record<ModelId, 1 | 2>> = {
  'builtin-1': 1,
  'builtin-2': 2,
  'builtin-3': 2,
  'builtin-4': 2,
}
const HEADER_BYTES = 64
const MODEL_ID_BYTES = 16
const CHECKSUM_AT = 48
const CHECKSUM_BYTES = 16

/** The trained vocabulary. Row `i` of `frequencies` and `vectors` belongs to `stems[i]`. */
export interface Vocabulary {
  /** Background documents counted. */
  documents: number
  stems: readonly string[]
  /** Background documents in which the stem occurs. */
  frequencies: Uint32Array
  /** Word vectors, `WORD_DIMENSIONS` each; only their direction counts. */
  vectors: Int8Array
  /** Each stem's weight in a text's meaning; null: its rarity. */
  weights: Float32Array | null
  /** Unit vector common to all word vectors, which is removed from a text's meaning; null: none. */
  commonDirection: Float32Array | null
}

/** Encodes the artifact: a 64-byte header, frequencies, direction or weights, vectors, stems. Little-endian. */
export function encodeArtifact(vocabulary: Vocabulary, modelId: string): Buffer {
  const count = vocabulary.stems.length
  const text = Buffer.from(vocabulary.stems.join('\n'), 'utf8')
  const further = vocabulary.weights ?? vocabulary.commonDirection ?? new Float32Array(WORD_DIMENSIONS)
  const numbers = Buffer.alloc(4 * (count + further.length))
  for (let i = 0; i < count; i++) numbers.writeUInt32LE(vocabulary.frequencies[i] ?? 0, 4 * i)
  for (const [i, one] of further.entries()) numbers.writeFloatLE(one, 4 * (count + i))
  const { buffer, byteOffset, byteLength } = vocabulary.vectors
  const body = Buffer.concat([numbers, Buffer.from(buffer, byteOffset, byteLength), text])

  const header = Buffer.alloc(HEADER_BYTES)
  header.write(MAGIC, 0, 'latin1')
  header.writeUInt32LE(vocabulary.weights === null ? 1 : 2, 8)
  header.writeUInt32LE(count, 12)
  header.writeUInt32LE(vocabulary.documents, 16)
  header.writeUInt32LE(text.length, 20)
  header.write(modelId, 24, MODEL_ID_BYTES, 'latin1')
  checksum(header, body).copy(header, CHECKSUM_AT)
  return Buffer.concat([header, body])
}

/** Decodes an artifact. @throws StartupError with instructions if the bytes are not those of this model */
export function decodeArtifact(bytes: Buffer, name: string, expected: ModelId): Vocabulary {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC) {
    throw broken(name, 'is not an artifact of the built-in embedding model')
  }
  const format = bytes.readUInt32LE(8)
  const modelId = bytes.toString('latin1', 24, 24 + MODEL_ID_BYTES).replace(/\0+$/, '')
  const needed = FORMATS[expected]
  if (format !== needed || modelId !== expected) {
    throw broken(
      name,
      `belongs to model ${modelId}, format ${format}, but ${expected}, format ${needed} is required`,
    )
  }
  const count = bytes.readUInt32LE(12)
  const furtherAt = HEADER_BYTES + 4 * count
  const vectorsAt = furtherAt + 4 * (format === 1 ? WORD_DIMENSIONS : count)
  const stemsAt = vectorsAt + WORD_DIMENSIONS * count
  const length = stemsAt + bytes.readUInt32LE(20)
  if (bytes.length !== length) throw broken(name, `has ${bytes.length} bytes instead of ${length}`)
  const header = bytes.subarray(0, HEADER_BYTES)
  if (!checksum(header, bytes.subarray(HEADER_BYTES)).equals(header.subarray(CHECKSUM_AT))) {
    throw broken(name, 'does not match its checksum')
  }
  const stems = bytes.toString('utf8', stemsAt).split('\n')
  if (stems.length !== count) throw broken(name, `names ${stems.length} stems where ${count} were counted`)
  const frequencies = new Uint32Array(copiedNumbers(bytes, HEADER_BYTES, furtherAt))
  const further = new Float32Array(copiedNumbers(bytes, furtherAt, vectorsAt))
  return {
    documents: bytes.readUInt32LE(16),
    stems,
    frequencies,
    vectors: new Int8Array(bytes.buffer, bytes.byteOffset + vectorsAt, WORD_DIMENSIONS * count),
    weights: format === 1 ? null : further,
    commonDirection: format === 1 ? further : null,
  }
}

/** Four-byte numbers in this machine's byte order, copied because a buffer's bytes may be unaligned. */
function copiedNumbers(bytes: Buffer, from: number, to: number): ArrayBuffer {
  const copied = new ArrayBuffer(to - from)
  const view = Buffer.from(copied)
  bytes.copy(view, 0, from, to)
  if (endianness() === 'BE') view.swap32()
  return copied
}

/** SHA-256 over the header's fields and the body, cut to 16 bytes: detects damage, not forgery. */
function checksum(header: Buffer, body: Buffer): Buffer {
  const hash = createHash('sha256').update(header.subarray(0, CHECKSUM_AT)).update(body)
  return hash.digest().subarray(0, CHECKSUM_BYTES)
}

function broken(name: string, fault: string): StartupError {
  return new StartupError(`${name} ${fault}. Restore the file from the release you run.`)
}
