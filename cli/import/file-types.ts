import path from 'node:path'

export type FileType = 'markdown' | 'text' | 'rst' | 'html' | 'pdf' | 'word' | 'excel' | 'powerpoint'

const TYPES: Record<string, FileType> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
  '.txt': 'text',
  '.rst': 'rst',
  '.html': 'html',
  '.htm': 'html',
  '.pdf': 'pdf',
  '.docx': 'word',
  '.xlsx': 'excel',
  '.xlsm': 'excel',
  '.pptx': 'powerpoint',
  '.pptm': 'powerpoint',
}

/** The kind of document that a file name promises; undefined for what is not imported. */
export function fileTypeOf(name: string): FileType | undefined {
  return TYPES[path.extname(name).toLowerCase()]
}

/** Whether a file is what its folder shows first: its name says what it is to the folder, not what it is about. */
export function isFrontPage(filePath: string): boolean {
  return /^(?:readme|index)$/i.test(path.posix.basename(filePath, path.posix.extname(filePath)))
}
