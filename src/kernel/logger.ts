type Log = (fields: object, message: string) => void

export interface Logger {
  info: Log
  warn: Log
  error: Log
}
