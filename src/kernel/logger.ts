type Log = (fields: object, message: string) => void

/** What the service logs to. */
export interface Logger {
  info: Log
  warn: Log
  error: Log
}
