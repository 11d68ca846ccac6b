/** What begins a line of Markdown: a heading, a quotation, a list. */
const LINE_BEGINNING = /^[ \t]{0,8}(?:#{1,6} |> |[-*+] )/gm
/** Emphasis and code around words. */
const EMPHASIS = /\*\*|`/g

/** A passage as a person reads it in a list: without the marks of Markdown. Its words stay as they are. */
export function plainText(text: string): string {
  return text.replaceAll(LINE_BEGINNING, '').replaceAll(EMPHASIS, '')
}
