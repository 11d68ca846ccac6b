import { PDFiumLibrary } from '@hyzyla/pdfium'

/** Finer scans are no easier to recognize. */
const PIXELS_PER_POINT = 300 / 72
/** A page of A3 at nearly 300 dpi; larger ones are drawn more coarsely. */
const PAGE_PIXELS_MAX = 16_000_000
const WHITE = 255

let library: ReturnType<typeof PDFiumLibrary.init> | null = null

/** A page of a PDF as a PGM image, null if blank. PDFium decodes every compression of scans. */
export async function drawPdfPage(bytes: Uint8Array, number: number): Promise<Uint8Array | null> {
  library ??= PDFiumLibrary.init()
  const document = await (await library).loadDocument(bytes)
  try {
    const page = document.getPage(number - 1)
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const scale = Math.min(PIXELS_PER_POINT, Math.sqrt(PAGE_PIXELS_MAX / (originalWidth * originalHeight)))
    const { width, height, data } = await page.render({ scale, colorSpace: 'Gray', render: 'bitmap' })
    if (data.every((value) => value === WHITE)) return null
    return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n${WHITE}\n`), data])
  } finally {
    document.destroy()
  }
}
