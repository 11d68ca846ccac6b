import { z } from 'zod'

const MODEL_CHARACTERS_MAX = 300

/** Few long strings: a large body crosses threads. */
export const GivenEmbedding = z
  .strictObject({
    model: z.string().min(1).max(MODEL_CHARACTERS_MAX).meta({
      description: "The model of the vectors. It must match the workspace's model.",
      example: 'builtin-4',
    }),
    chunksSha256: z
      .string()
      .regex(/^[\da-f]{64}$/, 'must be a SHA-256 in lowercase hex')
      .meta({
        description:
          'SHA-256, in hex, of the JSON `[[heading, content], …]` of the chunks, without spaces. It must match how the service chunks the text.',
        example: 'd8f3a1c07e5b4926b0e4f7a9c2d1386590ab4ce17f2d3e6885c9b1a0f4d7e263',
      }),
    vectors: z.string().refine(isFloats, 'must be base64 of finite 16-bit floats').meta({
      description:
        "The chunks' vectors, concatenated, as little-endian 16-bit floats in base64. Each has length 1.",
      example: 'ADw=',
    }),
  })
  .meta({
    id: 'GivenEmbedding',
    description: 'Vectors of the chunks from an export, so that they are not embedded again.',
  })
export type GivenEmbedding = z.output<typeof GivenEmbedding>

function isFloats(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64')
  // Buffer skips what is not base64.
  if (bytes.length % 2 !== 0 || bytes.toString('base64') !== base64) return false
  return floatsOf(base64).every(Number.isFinite)
}

export function floatsOf(base64: string): Float16Array {
  // Copied, so that the floats are aligned.
  return new Float16Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)
}
