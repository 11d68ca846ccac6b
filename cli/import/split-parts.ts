/** UTF-8 bytes per part; the service accepts 1 MiB of text per document. */
const PART_BYTES_MAX = 1_000_000
/** The most UTF-8 bytes per UTF-16 unit of a JavaScript string. */
const BYTES_PER_UNIT_MAX = 3

/**
 * Splits a text into parts that the service accepts: after a paragraph, else a line, else a space, else a code point.
 * A text that fits is its only part. The parts join to the text.
 */
export function splitParts(text: string, bytesMax = PART_BYTES_MAX): string[] {
  const parts: string[] = []
  let from = 0
  while (!fits(text, from, bytesMax)) {
    const to = cutBefore(text, from, furthestFit(text, from, bytesMax))
    parts.push(text.slice(from, to))
    from = to
  }
  return [...parts, text.slice(from)]
}

/** Whether the rest of the text fits; reads no more of it than could. */
function fits(text: string, from: number, bytesMax: number): boolean {
  return text.length - from <= bytesMax && Buffer.byteLength(text.slice(from)) <= bytesMax
}

/** How far the text fits into `bytesMax` bytes, found in shrinking steps past the certain part. */
function furthestFit(text: string, from: number, bytesMax: number): number {
  let end = from + Math.floor(bytesMax / BYTES_PER_UNIT_MAX)
  let free = bytesMax - Buffer.byteLength(text.slice(from, end))
  while (free >= BYTES_PER_UNIT_MAX && end < text.length) {
    const step = Math.min(text.length - end, Math.floor(free / BYTES_PER_UNIT_MAX))
    free -= Buffer.byteLength(text.slice(end, end + step))
    end += step
  }
  return end
}

function cutBefore(text: string, from: number, limit: number): number {
  const half = from + Math.floor((limit - from) / 2)
  for (const boundary of ['\n\n', '\n', ' ']) {
    // Searches a window only: a search of the whole text for a missing boundary would run to its start.
    const at = text.slice(half, limit).lastIndexOf(boundary)
    if (at !== -1) return half + at + boundary.length
  }
  const isPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff
  return isPair ? limit - 1 : limit
}
