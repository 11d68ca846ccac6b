/** What the reader of a format gives. */
export interface FileText {
  /** What the file calls itself, where it does. */
  title?: string | undefined
  /** Markdown, or plain text. */
  text: string
  /** Whether reading stopped before the file's end, since enough was read. */
  stopped?: boolean | undefined
}
