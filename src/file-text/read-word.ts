import type { FileText } from './file-text.ts'
import { brokenOfficeFile } from './office/office-package.ts'
import { refuseOldOffice } from './office/old-office.ts'
import { readHtml } from './read-html.ts'

const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"]

/**
 * The text of a Word file (.docx and its kin) with its headings, lists and tables; its title is its one heading of the first
 * level, or its first. @throws Error that says what is wrong with the file
 */
export async function readWord(bytes: Uint8Array): Promise<FileText> {
  refuseOldOffice(bytes)
  const { default: mammoth } = await import('mammoth')
  const options = {
    styleMap: STYLES,
    // Pictures would come as text of their bytes.
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
