import type { EmulatorReply } from '../kit/server.ts'

export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
  doc_url?: string
}

/** A call refused as Stripe would refuse it. */
export class StripeError extends Error {
  readonly status: number
  readonly body: StripeErrorBody

  constructor(status: number, body: StripeErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** 404: the object does not exist. */
export function missing(kind: string, id: string, param = 'id'): StripeError {
  const message = `No such ${kind}: '${id}'`
  return new StripeError(404, { type: 'invalid_request_error', code: 'resource_missing', message, param })
}

/** 400: a parameter or an object's state forbids the call. */
export function invalid(message: string, details: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...details })
}

/** The answer to a refused call. */
export function errorReply({ status, body }: StripeError): EmulatorReply {
  return { status, json: { error: body } }
}

/** Stripe's error body for an injected status: its client treats a body without an error as success. */
export function faultBody(status: number): { error: StripeErrorBody } {
  if (status === 429)
    return {
      error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
    }
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return { error: { type, message: `The emulator was asked to answer ${status}.` } }
}
