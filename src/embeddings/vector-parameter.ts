import { endianness } from 'node:os'

/** Object id of `float4` (pg_type.dat). */
const FLOAT4_OID = 700
const HEADER_WORDS = 5

/**
 * All numbers of the vectors, one after the other, as the binary form of one `float4[]` parameter (array_send in
 * PostgreSQL's arrayfuncs.c: dimensions, null flag, element type, length, lower bound, then size and value of each).
 * Both drivers pass bytes on as they are. The text form takes the embedded database 2 ms a vector to read, this 0.1.
 */
export function float4Array(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0)
  const words = new Uint32Array(HEADER_WORDS + 2 * length)
  words.set([1, 0, FLOAT4_OID, length, 1])
  let at = HEADER_WORDS
  for (const vector of vectors) {
    const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length)
    for (let index = 0; index < bits.length; index++) {
      words[at++] = 4
      words[at++] = bits[index] ?? 0
    }
  }
  const bytes = Buffer.from(words.buffer)
  return endianness() === 'LE' ? bytes.swap32() : bytes
}
