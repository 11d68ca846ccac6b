/** Markdown at the start of a line: headings, quotes, lists. */
const LINE_BEGINNING = /^[ \t]{0,8}(?:#{1,6} |> |[-*+] )/gm
/** Markdown for emphasis and code. */
const EMPHASIS = /\*\*|`/g

/** A link or an image. Lists show its text. */
const LINK = /!?\[([^[\]\n]{1,300})\]\([^()\s]{1,2000}\)/g

/** A passage without Markdown, for lists. Its words are unchanged, but the addresses of links are left out. */
export function plainText(text: string): string {
  return text.replaceAll(LINE_BEGINNING, '').replaceAll(LINK, '$1').replaceAll(EMPHASIS, '')
}
