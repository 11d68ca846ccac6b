import type { AppError } from '../kernel/errors.ts'

/** JSON in the form of another protocol, which a route speaks in place of the API's own. */
export interface JsonDialect {
  /** Of answers and errors; requests may have it, or be plain JSON. */
  contentType: string
  errorBody(error: AppError): object
}
