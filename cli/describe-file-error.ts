import { isMissingFile, messageOf } from './failures.ts'

/** Explains to the user why a local file or folder cannot be read or written. */
export function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOENT':
      return 'it does not exist'
    case 'EACCES':
    case 'EPERM':
      return 'you have no permission'
    case 'ELOOP':
      return 'it is a symbolic link loop'
    case 'EISDIR':
      return 'it is a folder'
    case 'ENOTDIR':
      return 'its path leads through a file'
    case 'EROFS':
      return 'the file system is read-only'
    case 'ENOSPC':
      return 'the disk is full'
    case 'ENAMETOOLONG':
      return 'its path is longer than this system allows'
    case 'EIO':
      return 'a disk error occurred'
    default:
      return messageOf(error)
  }
}

/** Explains to the user why a local file cannot be written. */
export function describeWriteError(error: unknown): string {
  return isMissingFile(error) ? 'its folder does not exist' : describeFileError(error)
}
