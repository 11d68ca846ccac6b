/** The bytes of a body whose length need not be declared; null, with the rest canceled, above `bytesMax`. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}
