import { createHash } from 'node:crypto'
import { endianness } from 'node:os'

import { StartupError } from '../../../kernel/errors.ts'

/** Id of the model that this code and its artefact make together; a change of either that moves vectors changes it. */
export const MODEL_ID = 'builtin-1'
/** Numbers in a word vector. */
export const WORD_DIMENSIONS = 256

const MAGIC = 'EMBEDDER'
const FORMAT = 1
const HEADER_BYTES = 64
const MODEL_ID_BYTES = 16
const CHECKSUM_AT = 48
const CHECKSUM_BYTES = 16

/** What training knows of words. Row `i` of `frequencies` and `vectors` belongs to `stems[i]`. */
export interface Vocabulary {
  /** Background documents counted. */
  documents: number
  stems: readonly string[]
  /** Background documents in which the stem occurs. */
  frequencies: Uint32Array
  /** Word vectors, `WORD_DIMENSIONS` each, of any length: only their direction counts. */
  vectors: Int8Array
  /** Unit vector along which all word vectors lean. */
  commonDirection: Float32Array
}

/**
 * The artefact as bytes: a header of 64 (magic, format, stems, documents, bytes of the stems, model id, checksum), then
 * frequencies, common direction, vectors, and the stems in UTF-8 with a line feed between. Numbers are little-endian.
 */
export function encodeArtefact(vocabulary: Vocabulary, modelId = MODEL_ID): Buffer {
  const count = vocabulary.stems.length
  const text = Buffer.from(vocabulary.stems.join('\n'), 'utf8')
  const numbers = Buffer.alloc(4 * (count + WORD_DIMENSIONS))
  for (let i = 0; i < count; i++) numbers.writeUInt32LE(vocabulary.frequencies[i] ?? 0, 4 * i)
  for (let i = 0; i < WORD_DIMENSIONS; i++) {
    numbers.writeFloatLE(vocabulary.commonDirection[i] ?? 0, 4 * (count + i))
  }
  const { buffer, byteOffset, byteLength } = vocabulary.vectors
  const body = Buffer.concat([numbers, Buffer.from(buffer, byteOffset, byteLength), text])

  const header = Buffer.alloc(HEADER_BYTES)
  header.write(MAGIC, 0, 'latin1')
  header.writeUInt32LE(FORMAT, 8)
  header.writeUInt32LE(count, 12)
  header.writeUInt32LE(vocabulary.documents, 16)
  header.writeUInt32LE(text.length, 20)
  header.write(modelId, 24, MODEL_ID_BYTES, 'latin1')
  checksum(header, body).copy(header, CHECKSUM_AT)
  return Buffer.concat([header, body])
}

/**
 * What `encodeArtefact` wrote. Throws a StartupError that says what to do when the bytes are cut, changed,
 * no artefact at all, or made for another version of the model. `name` is the file's name for the message.
 */
export function decodeArtefact(bytes: Buffer, name: string): Vocabulary {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC) {
    throw broken(name, 'is not an artefact of the built-in embedding model')
  }
  const format = bytes.readUInt32LE(8)
  const modelId = bytes.toString('latin1', 24, 24 + MODEL_ID_BYTES).replace(/\0+$/, '')
  if (format !== FORMAT || modelId !== MODEL_ID) {
    throw broken(
      name,
      `is of model ${modelId}, format ${format}, where ${MODEL_ID}, format ${FORMAT} is needed`,
    )
  }
  const count = bytes.readUInt32LE(12)
  const directionAt = HEADER_BYTES + 4 * count
  const vectorsAt = directionAt + 4 * WORD_DIMENSIONS
  const stemsAt = vectorsAt + WORD_DIMENSIONS * count
  const length = stemsAt + bytes.readUInt32LE(20)
  if (bytes.length !== length) throw broken(name, `has ${bytes.length} bytes where ${length} were written`)
  const header = bytes.subarray(0, HEADER_BYTES)
  if (!checksum(header, bytes.subarray(HEADER_BYTES)).equals(header.subarray(CHECKSUM_AT))) {
    throw broken(name, 'does not match its checksum')
  }
  const stems = bytes.toString('utf8', stemsAt).split('\n')
  if (stems.length !== count) throw broken(name, `names ${stems.length} stems where ${count} were counted`)
  const frequencies = new Uint32Array(copiedNumbers(bytes, HEADER_BYTES, directionAt))
  const commonDirection = new Float32Array(copiedNumbers(bytes, directionAt, vectorsAt))
  return {
    documents: bytes.readUInt32LE(16),
    stems,
    frequencies,
    vectors: new Int8Array(bytes.buffer, bytes.byteOffset + vectorsAt, WORD_DIMENSIONS * count),
    commonDirection,
  }
}

/** Four-byte numbers as this machine reads them, in memory of their own, since a buffer's bytes may start anywhere. */
function copiedNumbers(bytes: Buffer, from: number, to: number): ArrayBuffer {
  const copied = new ArrayBuffer(to - from)
  const view = Buffer.from(copied)
  bytes.copy(view, 0, from, to)
  if (endianness() === 'BE') view.swap32()
  return copied
}

/** SHA-256 over the header's fields and the body, cut to 16 bytes: against damage, not against forgery. */
function checksum(header: Buffer, body: Buffer): Buffer {
  const hash = createHash('sha256').update(header.subarray(0, CHECKSUM_AT)).update(body)
  return hash.digest().subarray(0, CHECKSUM_BYTES)
}

function broken(name: string, fault: string): StartupError {
  return new StartupError(
    `${name} ${fault}. Restore the file from the repository or make it again with "node training/train.ts".`,
  )
}
