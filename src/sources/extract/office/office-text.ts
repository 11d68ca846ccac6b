/** A text, and whether reading stopped before its end since enough was read. */
export interface OfficeText {
  text: string
  stopped: boolean
}
