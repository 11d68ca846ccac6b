import { cutToBytes } from '../../text/cut-to-bytes.ts'

/** Fenced code, to its end or the end of the text: it always matches, so it is read once. */
const FENCED = /^[ \t]{0,3}(`{3,}|~{3,})[^]*?(?:\n[ \t]{0,3}\1|$(?![^]))/gm
/** A line that a person wrote and that looks like the heading of an entry. */
const OWN_HEADING = /^(?=#{1,6}[ \t]{1,20}(?:comment|review)\b)/gim

/** Something that a person wrote in a thread. */
export interface ThreadEntry {
  /** What it is, such as `Comment` or `Review, approved`. */
  what: string
  by: string
  at: string
  text: string | null | undefined
}

/** A thread as Markdown: what it is, its text, and each entry under a heading with its author and time. */
export function threadText(
  opening: string,
  text: string | null | undefined,
  entries: readonly ThreadEntry[],
  maxBytes: number,
): string {
  const parts = [opening, shown(text)]
  let length = 0
  for (const entry of entries.toSorted((one, other) => (one.at < other.at ? -1 : 1))) {
    if (length > maxBytes) break
    const said = shown(entry.text)
    parts.push(
      `## ${entry.what} by ${entry.by}, ${entry.at.replace('T', ' ').replace(/:\d\dZ$/, ' UTC')}`,
      said,
    )
    length += said.length
  }
  return cutToBytes(parts.filter((part) => part !== '').join('\n\n'), maxBytes).trim()
}

/** A text as GitHub shows it, and without lines that pass for another person's entry. */
const shown = (text: string | null | undefined): string =>
  withoutComments((text ?? '').replaceAll('\r\n', '\n'))
    .replaceAll(OWN_HEADING, '\\')
    .trim()

/** Without HTML comments outside fenced code: readers do not see them, such as the hints of a template. */
function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text
  let kept = ''
  let at = 0
  for (const { 0: code, index } of text.matchAll(FENCED)) {
    kept += uncommented(text.slice(at, index)) + code
    at = index + code.length
  }
  return (kept + uncommented(text.slice(at))).replaceAll(/\n{3,}/g, '\n\n')
}

function uncommented(text: string): string {
  let kept = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('<!--', at)
    const end = start === -1 ? -1 : text.indexOf('-->', start)
    if (end === -1) return kept + text.slice(at)
    kept += text.slice(at, start)
    at = end + '-->'.length
  }
}
