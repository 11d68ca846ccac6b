import type { EmulatorReply } from '../kit/server.ts'

/** What the answer to a refused call says. */
export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
  doc_url?: string
}

/** A call that is refused as Stripe refuses it. */
export class StripeError extends Error {
  readonly status: number
  readonly body: StripeErrorBody

  constructor(status: number, body: StripeErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** 404: the object is not there. */
export function missing(kind: string, id: string, param = 'id'): StripeError {
  const message = `No such ${kind}: '${id}'`
  return new StripeError(404, { type: 'invalid_request_error', code: 'resource_missing', message, param })
}

/** 400: a parameter or the state of an object stands against it. */
export function invalid(message: string, details: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...details })
}

/** The answer to a refused call. */
export function errorReply({ status, body }: StripeError): EmulatorReply {
  return { status, json: { error: body } }
}

/** What Stripe says with a status that was asked for as a fault: its client takes a body without an error for success. */
export function faultBody(status: number): { error: StripeErrorBody } {
  if (status === 429)
    return {
      error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
    }
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return { error: { type, message: `The emulator was asked to answer ${status}.` } }
}
