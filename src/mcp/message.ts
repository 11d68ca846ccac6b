import { z } from 'zod'
import type { BodyDeclaration } from '../http/parse-body.ts'
import { safeParse } from '../kernel/safe-parse.ts'

/** The fields of a JSON-RPC 2.0 message. */
const FIELDS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const
/** Only this version has batches. A request without the version's header is of this version. */
const BATCHING_PROTOCOL = '2025-03-26'
/** No client sends more at once. */
const BATCH_MAX = 20
/** The limit of most routes. Only a document to be stored is larger. */
export const MESSAGE_BYTES_MAX = 256 * 1024
/** The longest address that browsers and servers agree on. */
const URI_CHARACTERS_MAX = 2_048

/** The fields that are checked before the protocol's own validation, which checks the rest. */
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish().catch(null),
  method: z.string().optional().catch(undefined),
  params: z.looseObject({ name: z.unknown(), uri: z.unknown() }).partial().optional().catch(undefined),
})

/** The body of a POST, for the thread that parses it: the protocol's own checks need no other shape. */
export const MessageBody = z.union([
  z.array(z.unknown()).max(BATCH_MAX, `must have at most ${BATCH_MAX} messages`),
  z.record(z.string(), z.unknown()),
])

export const MESSAGE_DECLARATION: BodyDeclaration = {
  body: MessageBody,
  bodyOptional: false,
  reading: { fields: FIELDS, schema: { module: import.meta.url, name: 'MessageBody' } },
}

/** A message refused before it reaches the protocol's server. */
export interface RefusedMessage {
  status: number
  body: { jsonrpc: '2.0'; id: string | number | null; error: { code: number; message: string } }
}

/** JSON-RPC 2.0, 5.1. */
const INVALID_REQUEST = -32_600
const INVALID_PARAMS = -32_602

/** Refuses a batch in a version without batches, a message too large for its request, and a URI too long to match. */
export function refuseMessage(
  body: unknown,
  { bytes, version = BATCHING_PROTOCOL }: { bytes: number; version: string | undefined },
): RefusedMessage | undefined {
  if (Array.isArray(body) && version !== BATCHING_PROTOCOL) {
    const message = `Version ${version} has no batches; send one message in each request`
    return { status: 400, body: { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } } }
  }
  const messages = (Array.isArray(body) ? body : [body]).map((each) => safeParse(Message, each)?.data)
  const id = messages.length === 1 ? (messages[0]?.id ?? null) : null
  const storesDocument = messages.some(
    (each) => each?.method === 'tools/call' && each.params?.name === 'remember',
  )
  if (bytes > MESSAGE_BYTES_MAX && !storesDocument) {
    const message = `A message has at most ${MESSAGE_BYTES_MAX} bytes unless it calls remember; this one has ${bytes}`
    return { status: 413, body: { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } } }
  }
  const uris = messages.map((each) => each?.params?.uri)
  if (uris.some((uri) => typeof uri === 'string' && uri.length > URI_CHARACTERS_MAX)) {
    const message = `A uri has at most ${URI_CHARACTERS_MAX} characters`
    return { status: 400, body: { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message } } }
  }
  return undefined
}
