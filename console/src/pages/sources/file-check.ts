import { formatBytes } from '../../ui/format.ts'

/** The service's maximum file size, in bytes (`SERVICE_FILE_LIMITS` in src/file-text). */
export const FILE_BYTES_MAX = 25 * 1024 * 1024

/** Supported file extensions. Files that the browser reports as text are supported too. */
const READ = new Set(
  (
    'pdf docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm ppsx ppsm potx potm odt ott ' +
    'html htm xhtml md markdown mdx rst csv tsv eml txt png jpg jpeg'
  ).split(' '),
)
const READ_TYPE =
  /^(?:text\/(?!calendar|css|javascript|vcard|x-vcard|directory)|application\/(?:json|pdf)$|image\/(?:png|jpeg)$)/
/** Files that systems and tools leave in folders, which users do not mean to import. */
const HIDDEN = /(?:^|\/)(?:\.|node_modules\/|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/

/** A file from the user. `name` includes the path within the folder. */
export interface GivenFile {
  name: string
  file: File
}

/** Whether to skip the file, because a system or tool created it. */
export function isHidden(name: string): boolean {
  return HIDDEN.test(name)
}

/** Why the service would refuse a file, checked before the upload; null if nothing is wrong. */
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
