import { TextDecoder } from 'node:util'

const SNIFFED_BYTES = 8_192
/** A prefix is enough to distinguish encodings. Mail is decoded on the event loop. */
const JUDGED_BYTES = 262_144
const REPLACEMENT = 0xfffd
const META_CHARSET = /<meta[^>]{0,200}?charset\s{0,20}=\s{0,20}["']?\s{0,20}([a-z0-9_:.-]{1,40})/i

/**
 * Decodes bytes by byte order mark, UTF-8 if valid, declared charset, UTF-8 if mostly valid, windows-1252. ISO-2022 and
 * HZ, which have only ASCII bytes, come first: Gmail converts text to UTF-8 and keeps the declaration.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const marked = byteOrderMarkOf(bytes)
  if (marked) return new TextDecoder(marked).decode(bytes)
  const declared = decoderFor(charset)
  if (declared && isSevenBit(charset ?? '') && bytes.every((byte) => byte < 0x80))
    return declared.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    if (declared && declared.encoding !== 'utf-8') return declared.decode(bytes)
    // One broken character, such as a cut last one, must not garble all others.
    return new TextDecoder(isMostlyUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes)
  }
}

const isSevenBit = (charset: string): boolean => /^\s*(?:iso-2022|hz-gb)/i.test(charset)

/** Whether UTF-8 decodes more characters beyond ASCII than it replaces, as hardly happens with another encoding. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const decoded = new TextDecoder('utf-8').decode(bytes.subarray(0, JUDGED_BYTES))
  let surplus = 0
  for (let at = 0; at < decoded.length; at += 1) {
    const code = decoded.charCodeAt(at)
    if (code > 0x7f) surplus += code === REPLACEMENT ? -1 : 1
  }
  return surplus > 0
}

/** The text of an HTML page; the page's own charset applies if none was declared with it. */
export function decodeHtml(bytes: Uint8Array, charset: string | null): string {
  return decodeText(bytes, charset ?? charsetInPage(bytes))
}

/** The text of a text file. @throws Error for binary data */
export function decodeTextFile(bytes: Uint8Array, charset: string | null): string {
  if (byteOrderMarkOf(bytes) === null && bytes.subarray(0, SNIFFED_BYTES).includes(0)) {
    throw new Error('it is not text: it contains binary data')
  }
  return decodeText(bytes, charset)
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
    // An unknown charset counts as none.
    return null
  }
}

function charsetInPage(bytes: Uint8Array): string | null {
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, SNIFFED_BYTES))
  return META_CHARSET.exec(start)?.[1] ?? null
}
