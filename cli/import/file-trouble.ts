import { messageOf } from '../failures.ts'

/** Explains to the user why a local file or folder cannot be read. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOENT':
      return 'it does not exist'
    case 'EACCES':
    case 'EPERM':
      return 'you have no permission to read it'
    case 'ELOOP':
      return 'it is a link that leads back to itself'
    case 'ENAMETOOLONG':
      return 'its path is longer than this system allows'
    case 'EIO':
      return 'the disk cannot read it'
    default:
      return messageOf(error)
  }
}
