import type { OcrLanguage } from './ocr/languages.ts'

/** The result of a format's reader. */
export interface FileText {
  title?: string | undefined
  /** Markdown or plain text. */
  text: string
  /** Whether reading stopped before the file's end because it had enough. */
  stopped?: boolean | undefined
  /** The text by page, of a format with pages, and the numbers (from 1) of those without text. */
  pages?: string[] | undefined
  scans?: number[] | undefined
  /** The language of recognized text. */
  language?: OcrLanguage | undefined
}
