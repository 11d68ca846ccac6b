import type { FileText } from '../file-text.ts'
import { openOfficePackage, type OfficePackage } from './office-package.ts'
import { TextDocumentReader } from './text-document-reader.ts'

/** The text of an OpenDocument text (.odt): headings, lists, tables, notes. @throws if unreadable */
export async function readTextDocument(bytes: Uint8Array, maxCharacters: number): Promise<FileText> {
  const office = await openOfficePackage(bytes)
  if (await isEncrypted(office)) throw new Error('it is protected with a password')
  const reader = new TextDocumentReader(maxCharacters)
  await office.read('content.xml', reader)
  if (!reader.isTextDocument) throw new Error('it is not an OpenDocument text')
  const title = (await readTitle(office)) || reader.title
  return { title, text: reader.markdown, stopped: reader.isDone() }
}

/** Whether the manifest says that it is encrypted (part 2, 4.16). */
async function isEncrypted(office: OfficePackage): Promise<boolean> {
  let encrypted = false
  await office.read('META-INF/manifest.xml', {
    open(name) {
      encrypted ||= name === 'encryption-data'
    },
    isDone: () => encrypted,
  })
  return encrypted
}

const TITLE_CHARACTERS_MAX = 1_000

async function readTitle(office: OfficePackage): Promise<string> {
  let title = ''
  let inTitle = false
  let isDone = false
  await office.read('meta.xml', {
    open(name) {
      inTitle = name === 'title'
    },
    text(piece) {
      if (inTitle) title += piece.slice(0, TITLE_CHARACTERS_MAX - title.length)
    },
    close(name) {
      inTitle = false
      isDone ||= name === 'title'
    },
    isDone: () => isDone,
  })
  return title.replaceAll(/\s+/g, ' ').trim()
}
