import type { AppError } from '../kernel/errors.ts'

/** Another protocol's JSON conventions, which a route uses instead of the API's. */
export interface JsonDialect {
  /** Of responses and errors. Requests can use it or plain JSON. */
  contentType: string
  errorBody(error: AppError): object
}
