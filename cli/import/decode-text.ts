const SNIFFED_BYTES = 8_192
const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})/i

/**
 * The text of a file whose encoding nobody names: by its byte order mark, else UTF-8 where it is valid, else what an
 * HTML page says of itself, else windows-1252.
 * @throws Error when the bytes are not text
 */
export function decodeText(bytes: Uint8Array, isHtml = false): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode(bytes, 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode(bytes, 'utf-16be')
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) throw new Error('not text: it holds binary data')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decode(bytes, (isHtml ? declaredCharset(bytes) : undefined) ?? 'windows-1252')
  }
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes)
}

function declaredCharset(bytes: Uint8Array): string | undefined {
  const name = META_CHARSET.exec(decode(bytes.subarray(0, SNIFFED_BYTES), 'windows-1252'))?.[1]
  if (name === undefined) return undefined
  try {
    return new TextDecoder(name).encoding
  } catch {
    return undefined
  }
}
