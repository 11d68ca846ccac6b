import { formatBytes } from '../../ui/format.ts'

/** As the service: the largest file that it reads, in bytes (`SERVICE_FILE_LIMITS` of src/file-text). */
export const FILE_BYTES_MAX = 25 * 1024 * 1024

/** Names that end so are read; what a browser calls text is as well. */
const READ = new Set(
  (
    'pdf docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm ppsx ppsm potx potm odt ott ' +
    'html htm xhtml md markdown mdx rst csv tsv eml txt json log'
  ).split(' '),
)
const READ_TYPE = /^(?:text\/(?!calendar|css|javascript|vcard|x-vcard|directory)|application\/(?:json|pdf)$)/
/** What systems and tools leave in folders, and nobody means. */
const HIDDEN = /(?:^|\/)(?:\.|node_modules\/|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/

/** A file that somebody gave, and its name with the folders that it was in. */
export interface GivenFile {
  name: string
  file: File
}

/** Whether a file is none that somebody means to import. */
export function isHidden(name: string): boolean {
  return HIDDEN.test(name)
}

/** Why the service would refuse a file, said before anything is sent; null when nothing speaks against it. */
export function refusalOf({
  name,
  file,
}: {
  name: string
  file: Pick<File, 'size' | 'type'>
}): string | null {
  if (file.size > FILE_BYTES_MAX)
    return `Too large: ${formatBytes(file.size)}; the limit is ${formatBytes(FILE_BYTES_MAX)}`
  if (file.size === 0) return 'It is empty'
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase()
  if ((extension !== undefined && READ.has(extension)) || READ_TYPE.test(file.type)) return null
  return 'Unsupported format'
}
