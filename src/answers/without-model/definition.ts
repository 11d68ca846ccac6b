/**
 * A definition list in plain text. The definition is indented below its term (manual pages, reStructuredText), after a
 * colon (Markdown), or in a column beside it (lists of options), or the term is a setting with a comment above.
 * Markdown parsers read most of these as code or paragraphs and split them.
 */
export interface Definition {
  term: string
  text: string
  /** The term's column; more indented text below belongs to it. */
  indent: number
}

/** A line without its indentation. */
export interface Line {
  indent: number
  text: string
}
