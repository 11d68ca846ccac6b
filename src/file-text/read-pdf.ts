import type { getDocumentProxy } from 'unpdf'
import type { FileText } from './file-text.ts'
import { messageOf } from '../kernel/thrown-errors.ts'
import { typedText } from './pdf-typed-text.ts'

/** Default titles that programs put into a PDF. */
const NO_TITLE =
  /^(?:untitled|\(anonymous\)|powerpoint[ -]pr[eä]sentation|microsoft word\b.*|.*\.(?:docx?|indd|tex|dvi|pdf|pptx?)|slide 1)$/i
const TITLE_CHARACTERS_MAX = 1_000
/** With more damaged pages, the others are not worth the time. */
const DAMAGED_MAX = 100

/** The text of a PDF's pages in order, up to the limit, and its title. @throws Error with what is wrong */
export async function readPdf(bytes: Uint8Array, maxCharacters: number): Promise<FileText> {
  const { getDocumentProxy: open } = await import('unpdf')
  const document = await open(new Uint8Array(bytes), { maxImageSize: 1, verbosity: 0 }).catch(refuse)
  try {
    return { title: await titleOf(document), ...(await readPages(document, maxCharacters)) }
  } finally {
    await document.loadingTask.destroy()
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads around damaged pages. @throws Error if there are no others */
async function readPages(document: Pdf, maxCharacters: number): Promise<FileText> {
  const pages: string[] = []
  const scans: number[] = []
  const failures: unknown[] = []
  let length = 0
  for (let number = 1; number <= document.numPages; number += 1) {
    if (length > maxCharacters || failures.length > DAMAGED_MAX) break
    const page = await readPage(document, number).catch((error: unknown) => {
      failures.push(error)
      return null
    })
    if (page?.isScan === true) scans.push(number)
    pages.push(page?.text ?? '')
    length += page?.text.length ?? 0
  }
  if (failures.length > 0 && failures.length === pages.length) refuse(failures[0])
  const stopped = failures.length > 0 || pages.length < document.numPages
  return { text: pages.join('\n\n'), pages, scans, stopped }
}

/** The text of a page, including typed annotations. A page without text of its own is a scan. */
async function readPage(document: Pdf, number: number): Promise<{ text: string; isScan: boolean }> {
  const page = await document.getPage(number)
  const content = await page.getTextContent()
  const lines = content.items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
  // The page's own text is worth keeping without them.
  const typed = typedText(await page.getAnnotations().catch(() => []))
  page.cleanup()
  const text = lines.join('')
  return { text: typed === '' ? text : `${text}\n\n${typed}`, isScan: text.trim() === '' }
}

async function titleOf(document: Pdf): Promise<string> {
  const { info }: { info: unknown } = await document.getMetadata()
  const named = typeof info === 'object' && info !== null && 'Title' in info ? info.Title : ''
  const title = typeof named === 'string' ? named.slice(0, TITLE_CHARACTERS_MAX).trim() : ''
  return NO_TITLE.test(title) ? '' : title
}

function refuse(cause: unknown): never {
  const words = messageOf(cause)
  const isLocked = cause instanceof Error && cause.name === 'PasswordException'
  const reason = isLocked ? 'it is protected with a password' : `it is not a PDF, or it is damaged (${words})`
  throw new Error(reason, { cause })
}
