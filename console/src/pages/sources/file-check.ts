import { SERVICE_FILE_LIMITS } from '../../../../src/file-text/limits.ts'
import { textFormatOf } from '../../../../src/file-text/text-format.ts'
import { formatBytes } from '../../ui/format.ts'

export const FILE_BYTES_MAX = SERVICE_FILE_LIMITS.fileBytes

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

/** The reason why the service would refuse a file, checked before the upload; null if it would not. */
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
  // By the name alone too: some browsers give files of Office the type of an archive.
  if ((textFormatOf(file.type, name) ?? textFormatOf('', name)) !== null) return null
  return 'Unsupported format'
}
