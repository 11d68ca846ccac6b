import { messageOf } from '../failures.ts'

/** Explains to the user why a local file or folder cannot be read. */
export function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOENT':
      return 'it does not exist'
    case 'EACCES':
    case 'EPERM':
      return 'you have no permission to read it'
    case 'ELOOP':
      return 'it is a symbolic link loop'
    case 'ENAMETOOLONG':
      return 'its path is longer than this system allows'
    case 'EIO':
      return 'a disk error occurred'
    default:
      return messageOf(error)
  }
}
