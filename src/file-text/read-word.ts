import type { FileText } from './file-text.ts'
import { brokenOfficeFile } from './office/office-package.ts'
import { refuseOldOffice } from './office/old-office.ts'
import { readHtml } from './read-html.ts'

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "br[type='page'] => br",
  "br[type='column'] => br",
]

/** The text of a Word file with headings, lists and tables. Its title is its only or first heading. @throws Error */
export async function readWord(bytes: Uint8Array): Promise<FileText> {
  refuseOldOffice(bytes)
  const { default: mammoth } = await import('mammoth')
  const options = {
    styleMap: STYLES,
    // Otherwise pictures would be included as text.
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  }
  const html = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, options).then(
    ({ value }) => value,
    (cause: unknown) => {
      throw brokenOfficeFile(cause)
    },
  )
  return readHtml(html)
}
