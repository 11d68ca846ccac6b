/** A file that cannot be read. The message may be shown to the user. */
export class ExtractionError extends Error {
  readonly reason: 'time' | 'memory' | 'unreadable'

  constructor(reason: 'time' | 'memory' | 'unreadable', message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ExtractionError'
    this.reason = reason
  }
}
