import { TextDecoder } from 'node:util'

/**
 * Bytes as text. A byte order mark wins (WHATWG Encoding, "BOM sniff"), then what is valid UTF-8 is UTF-8 (providers hand out
 * text they have already converted under its old charset's name), then the declared charset, then windows-1252.
 * ISO-2022 and HZ are made of ASCII bytes, so there the declared name is believed first.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const marked = byteOrderMarkOf(bytes)
  if (marked) return new TextDecoder(marked).decode(bytes)
  const declared = decoderFor(charset)
  if (declared && /^(iso-2022|hz-gb)/i.test(charset ?? '')) return declared.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: the one answer this question can have.
    const fallback = declared && declared.encoding !== 'utf-8' ? declared : new TextDecoder('windows-1252')
    return fallback.decode(bytes)
  }
}

function byteOrderMarkOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

function decoderFor(charset: string | null): TextDecoder | null {
  if (charset === null) return null
  try {
    return new TextDecoder(charset.trim())
  } catch {
    // A charset the platform does not know: the caller goes on without one.
    return null
  }
}
