/** An error in the form that crosses threads; a structured clone would keep only its message. */
export interface SentError {
  message: string
  fields: Record<string, string>
  /** The error itself with its stack, unless the database raised it. */
  cause: unknown
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), fields: {}, cause: undefined }
  const fields: Record<string, string> = { name: error.name }
  for (const [name, value] of Object.entries(error)) if (typeof value === 'string') fields[name] = value
  // The stack of a database error does not help; the caller's does.
  return { message: error.message, fields, cause: 'code' in error ? undefined : error }
}

/** Recreates the error with the stack of the current thread. */
export function receivedError({ message, fields, cause }: SentError): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), fields)
}

/** Whether the database broke down, for example because the disk is full. Only a restart fixes that. */
export function isPanic({ fields }: SentError): boolean {
  return fields.severity === 'PANIC'
}
