/** UTF-8 bytes of one part; the service takes 1 MiB of text a document. */
const PART_BYTES_MAX = 1_000_000
/** No character of a JavaScript string has more UTF-8 bytes than this. */
const BYTES_PER_UNIT_MAX = 3

/**
 * Cuts a text into parts that the service accepts: at the end of a paragraph, else of a line, else at a space, else
 * between code points. A text that fits is its only part. The parts joined are the text again.
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

/** Whether the rest of the text fits; no more of it is looked at than could. */
function fits(text: string, from: number, bytesMax: number): boolean {
  return text.length - from <= bytesMax && Buffer.byteLength(text.slice(from)) <= bytesMax
}

/** How far the text fits into `bytesMax` bytes; past the certain part it is found in shrinking steps. */
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
    // Of a window: in the whole text what is not there would be looked for up to its beginning.
    const at = text.slice(half, limit).lastIndexOf(boundary)
    if (at !== -1) return half + at + boundary.length
  }
  const isPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff
  return isPair ? limit - 1 : limit
}
