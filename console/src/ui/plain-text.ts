/** Markdown at the start of a line: headings, quotes, lists. */
const LINE_BEGINNING = /^[ \t]{0,8}(?:#{1,6} |> |[-*+] )/gm
/** Markdown for emphasis and code. */
const EMPHASIS = /\*\*|`/g

/** A link or an image. Lists show its text. */
const LINK = /!?\[([^[\]\n]{1,300})\]\([^()\s]{1,2000}\)/g

/** The fence of a code block with its language, and the line between the header and the rows of a table. */
const RULE_LINE = /^[ \t]{0,8}(?:```[\w-]{0,30}|\|(?:[ \t]*:?-+:?[ \t]*\|)+)[ \t]*$\n?/gm
const TABLE_ROW = /^[ \t]{0,8}\|(.+)\|[ \t]*$/gm
const COLUMN_BORDER = /[ \t]*(?<!\\)\|[ \t]*/g

/** A passage without Markdown, for lists. Its words are unchanged, but the addresses of links are left out. */
export function plainText(text: string): string {
  return text
    .replaceAll(RULE_LINE, '')
    .replaceAll(TABLE_ROW, (_, row: string) => row.trim().replaceAll(COLUMN_BORDER, ' · '))
    .replaceAll(LINE_BEGINNING, '')
    .replaceAll(LINK, '$1')
    .replaceAll(EMPHASIS, '')
}
