import { type ThreadEntry, threadText as writeThread } from '../thread.ts'

/** Fenced code, up to its end or the end of the text. It always matches, so the text is scanned once. */
const FENCED = /^[ \t]{0,3}(`{3,}|~{3,})[^]*?(?:\n[ \t]{0,3}\1|$(?![^]))/gm

/** A GitHub thread as Markdown, with its texts as GitHub shows them. */
export function threadText(
  opening: string,
  text: string | null | undefined,
  entries: readonly ThreadEntry[],
  maxBytes: number,
): string {
  const visible = entries.map((entry) => ({ ...entry, text: shown(entry.text) }))
  return writeThread(opening, shown(text), visible, maxBytes)
}

const shown = (text: string | null | undefined): string =>
  withoutComments((text ?? '').replaceAll('\r\n', '\n')).trim()

/** Removes HTML comments outside fenced code, which readers do not see, such as a template's hints. */
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
