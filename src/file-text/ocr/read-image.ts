import type { FileText } from '../file-text.ts'
import { checkImage } from './image-size.ts'
import type { OcrLanguages } from './languages.ts'
import { drawPdfPage } from './page-image.ts'
import { type Picture, recognize } from './recognize.ts'

/** Recognizes the text of an image, or of a page of a PDF. @throws Error that says what is wrong with the file */
export async function readImage(
  bytes: Uint8Array,
  { page, languages }: { page: number | null; languages: OcrLanguages },
): Promise<FileText> {
  const picture = page === null ? { bytes, ...checkImage(bytes) } : await pictureOf(bytes, page)
  return picture === null ? { text: '' } : await recognize(picture, languages)
}

async function pictureOf(pdf: Uint8Array, page: number): Promise<Picture | null> {
  const bytes = await drawPdfPage(pdf, page)
  return bytes && { bytes, orientation: 1 }
}
