/** Markdown at the start of a line: headings, quotes, lists. */
const LINE_BEGINNING = /^[ \t]{0,8}(?:#{1,6} |> |[-*+] )/gm
/** Markdown for emphasis and code. */
const EMPHASIS = /\*\*|`/g

/** A passage without Markdown, for lists. Its words are unchanged. */
export function plainText(text: string): string {
  return text.replaceAll(LINE_BEGINNING, '').replaceAll(EMPHASIS, '')
}
