/**
 * Definition lists in plain text: the definition is indented below its term (manual pages, reStructuredText),
 * after a colon (Markdown), or in a column beside it (lists of options), or the term is a setting with a
 * comment above. Markdown parses most of these as code or paragraphs and splits them.
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
