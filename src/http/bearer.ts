import { AppError } from '../kernel/errors.ts'

/** The realm in `WWW-Authenticate` (RFC 9110, 11.5). */
const REALM = 'realm="Retrieval Memory Service"'

/** What a surface accepts after `Bearer`, as error messages name it. */
export type Credential = 'API key' | 'console token' | 'operator token' | 'SCIM token'

const SENT_AS: Record<Credential, string> = {
  'API key': 'send an API key as Authorization: Bearer svc_…',
  'console token': "sign in and send the identity provider's token as Authorization: Bearer …",
  'SCIM token': 'send a SCIM token of the console as Authorization: Bearer scim_…',
  'operator token': "send the operator's token as Authorization: Bearer …",
}

/** The token of an Authorization header (RFC 6750, 2.1). @throws AppError `unauthenticated` with the header's fault */
export function bearerToken(header: string | undefined, wanted: Credential): string {
  const fault = faultOf(header?.trim() ?? '')
  if (fault !== null) throw noToken(fault, wanted)
  return header?.trim().slice('Bearer'.length).trimStart() ?? ''
}

function faultOf(header: string): string | null {
  if (header === '') return 'The Authorization header is missing'
  if (/^bearer$/i.test(header)) return 'The Authorization header has nothing after the word Bearer'
  if (!/^bearer /i.test(header)) {
    return /\s/.test(header)
      ? 'The Authorization header does not use the Bearer scheme'
      : 'The Authorization header lacks the word Bearer before its token'
  }
  if (/\s/.test(header.slice('Bearer'.length).trimStart()))
    return 'The Authorization header has white space inside its token'
  return null
}

/** The 401 for a request without a token. It says how to send one and nothing about any token (RFC 6750, 3.1). */
function noToken(fault: string, wanted: Credential): AppError {
  return new AppError('unauthenticated', `${fault}; ${SENT_AS[wanted]}`, {
    headers: { 'WWW-Authenticate': `Bearer ${REALM}` },
  })
}

/** RFC 6750, 3.1. `message` must say nothing that only the service knows; `facts` go to the log. */
export function refusedToken(message: string, cause?: unknown, facts?: Record<string, unknown>): AppError {
  return new AppError('unauthenticated', message, {
    cause,
    ...(facts === undefined ? {} : { facts }),
    headers: { 'WWW-Authenticate': `Bearer ${REALM}, error="invalid_token"` },
  })
}

/** RFC 6750, 3.1. */
export function insufficientScope(action: string): AppError {
  return new AppError(
    'action_not_allowed',
    `This API key lacks the action "${action}"; create a key that has it`,
    { headers: { 'WWW-Authenticate': `Bearer ${REALM}, error="insufficient_scope", scope="${action}"` } },
  )
}

export function looksLike(token: string): 'API key' | 'JWT' | 'something else' {
  if (token.startsWith('svc_')) return 'API key'
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token) ? 'JWT' : 'something else'
}
