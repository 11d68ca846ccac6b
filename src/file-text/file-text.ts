/** The result of a format's reader. */
export interface FileText {
  /** The file's own title, if any. */
  title?: string | undefined
  /** Markdown or plain text. */
  text: string
  /** Whether reading stopped before the file's end because it had enough. */
  stopped?: boolean | undefined
}
