/** An error on its way between threads, which would lose all but its message. */
export interface SentError {
  message: string
  /** `code`, `detail`, `constraint` and so on, as the database said them. */
  fields: Record<string, string>
  /** The error itself with its stack, where it is not the database's word. */
  cause: unknown
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), fields: {}, cause: undefined }
  const fields: Record<string, string> = { name: error.name }
  for (const [name, value] of Object.entries(error)) if (typeof value === 'string') fields[name] = value
  // The database's word is said wherever its messages are read: the stack that helps is the asker's.
  return { message: error.message, fields, cause: 'code' in error ? undefined : error }
}

/** The error with the stack of here. */
export function receivedError({ message, fields, cause }: SentError): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), fields)
}

/** Whether the database broke down, such as by a disk that takes nothing: only a new start puts it right. */
export function isPanic({ fields }: SentError): boolean {
  return fields.severity === 'PANIC'
}
