import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { validate } from '../kernel/validate.ts'
import type { BodyReader } from './body-reader.ts'
import { parseJsonBody } from './json-body.ts'
import type { JsonDialect, Route, UntypedRouteRequest } from './route.ts'

/** A larger body is parsed and validated on its own thread; one of this size takes some milliseconds. */
const INLINE_BYTES_MAX = 32 * 1024

export type BodyDeclaration = Pick<Route<never>, 'body' | 'bodyOptional' | 'reading' | 'upload'> &
  Partial<Pick<Route<never>, 'dialect'>>

export interface GivenBody {
  bytes: Buffer
  headers: UntypedRouteRequest['headers']
  owner: string
  signal: AbortSignal
}

/** Parses a request's body with the route's schema. The bytes can be unusable afterward. @throws AppError */
export async function parseBody(
  { body: schema, bodyOptional, reading, upload, dialect }: BodyDeclaration,
  reader: BodyReader,
  { bytes, headers, owner, signal }: GivenBody,
): Promise<unknown> {
  if (upload !== undefined) requireNoEncoding(headers)
  if (schema === undefined) return undefined
  if (bytes.length === 0) {
    if (bodyOptional) return validate(schema, {}, 'body')
    throw new AppError(
      'malformed_json',
      'The request has no body; send a JSON object as Content-Type: application/json',
    )
  }
  requireJson(headers, dialect)
  if (reading && bytes.length > INLINE_BYTES_MAX) return await reader.read({ bytes, reading, owner, signal })
  return validate(schema, parseJsonBody(bytes, reading?.limits, reading?.fields), 'body')
}

const NoFields = z.strictObject({})

/** Refuses what a route without a body would ignore, such as a `dryRun` of another route. @throws AppError */
export function refuseFields({ bytes, headers }: GivenBody, dialect?: JsonDialect): void {
  if (bytes.length === 0) return
  requireJson(headers, dialect)
  validate(NoFields, parseJsonBody(bytes), 'body')
}

function requireJson(headers: UntypedRouteRequest['headers'], dialect?: JsonDialect): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && (type === undefined || type !== dialect?.contentType)) {
    throw new AppError('unsupported_media_type', 'Send the body as Content-Type: application/json')
  }
  requireNoEncoding(headers)
}

function requireNoEncoding(headers: UntypedRouteRequest['headers']): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body uncompressed, without a Content-Encoding')
  }
}
