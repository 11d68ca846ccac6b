/** Cuts a text between characters to at most `maxBytes` bytes of UTF-8. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts need no counting.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text.slice(0, maxBytes))
  let end = Math.min(maxBytes, bytes.length)
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
