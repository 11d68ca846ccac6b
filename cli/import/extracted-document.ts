/** What a file says. */
export interface ExtractedDocument {
  /** `''` when the file does not name itself. */
  title: string
  /** `''` when there is nothing to read in it. */
  text: string
}
