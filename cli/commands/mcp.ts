import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { MemoryError, readEvents } from '../../client/src/index.ts'
import { codeOf, CommandError, ConnectionError } from '../failures.ts'
import { parseJson } from '../parse-json.ts'
import { openSession } from './session.ts'

/** Where messages carry their protocol version since 2026-07-28. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The parts of a message that the bridge needs; the rest passes through. */
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string().optional(),
      uri: z.string().optional(),
      requestId: z.union([z.string(), z.number()]).optional(),
      _meta: z.looseObject({ [VERSION_KEY]: z.string().optional() }).optional(),
    })
    .optional(),
})
type Message = z.output<typeof Message>

const Answer = z.looseObject({ jsonrpc: z.literal('2.0') })
const Initialized = z.object({ result: z.object({ protocolVersion: z.string() }) })

/** JSON-RPC 2.0's internal error, which clients display as is. */
const INTERNAL_ERROR = -32_603
const PARSE_ERROR = -32_700

/** `mcp`: bridges the service's tools to a client that speaks line-based stdio. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('bridge between an MCP client on stdin and stdout and the service')
    .action(async (_options: unknown, command: Command) => {
      const { client } = openSession(command)
      // Without a key, no message could be sent.
      client.memory()
      await forwardLines(client, process.stdin, (line) => void process.stdout.write(`${line}\n`))
    })
}

/** Sends each line to `/mcp` and writes answers as they arrive, until input ends and all are answered. */
async function forwardLines(
  client: ApiClient,
  input: NodeJS.ReadableStream,
  write: (line: string) => void,
): Promise<void> {
  const bridge = createBridge(client, write)
  const underWay = new Set<Promise<void>>()
  let handshake: Promise<void> = Promise.resolve()
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const message = parseMessage(line)
    if (message === undefined) {
      write(errorLine(null, PARSE_ERROR, 'The line is not a JSON-RPC message'))
      continue
    }
    if (message.method === 'notifications/cancelled') {
      if (message.params?.requestId !== undefined) bridge.cancel(message.params.requestId)
      continue
    }
    const one = bridge.forward(message, handshake).finally(() => underWay.delete(one))
    underWay.add(one)
    // Later messages must carry the negotiated version.
    if (message.method === 'initialize') handshake = one
  }
  await Promise.all(underWay)
}

interface Bridge {
  /** Sends a message after the handshake and writes the answer. */
  forward(message: Message, handshake: Promise<void>): Promise<void>
  /** Cancels a running request without an answer. */
  cancel(id: string | number): void
}

function createBridge(client: ApiClient, write: (line: string) => void): Bridge {
  let version: string | undefined
  const underWay = new Map<string | number, AbortController>()
  const forward: Bridge['forward'] = async (message, handshake) => {
    const abort = new AbortController()
    if (message.id !== undefined) underWay.set(message.id, abort)
    try {
      await handshake
      for (const answer of await send(client, message, version, abort.signal)) {
        const initialized =
          message.method === 'initialize' ? Initialized.safeParse(JSON.parse(answer)) : undefined
        if (initialized?.success) version = initialized.data.result.protocolVersion
        write(answer)
      }
    } catch (error) {
      // A notification and a canceled request get no answer, not even an error.
      if (message.id !== undefined && !abort.signal.aborted) write(errorOf(error, message.id))
    } finally {
      if (message.id !== undefined && underWay.get(message.id) === abort) underWay.delete(message.id)
    }
  }
  return {
    forward,
    /** The service has no sessions: closing the connection cancels a request. */
    cancel: (id) => underWay.get(id)?.abort(),
  }
}

/** Yields the messages of the service's answer, one per line. */
async function send(
  client: ApiClient,
  message: Message,
  version: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const { headers, text } = await client.send({
    method: 'POST',
    path: '/mcp',
    accept: 'application/json, text/event-stream',
    body: message,
    headers: headersOf(message, version),
    signal,
  })
  if (text.trim() === '') return []
  const answers: string[] = []
  if (!headers.get('content-type')?.startsWith('text/event-stream')) answers.push(text)
  else for await (const { data } of readEvents([text])) if (data !== '') answers.push(data)
  // The reader of stdout expects one message per line, and nothing else.
  return answers.map((answer) => JSON.stringify(client.check(Answer, parseJson(answer))))
}

/** The HTTP headers of a message: since 2026-07-28 they also name its method and target. */
function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const own = params?._meta?.[VERSION_KEY]
  const version = own ?? negotiated
  const name = params?.name ?? params?.uri
  return {
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(own === undefined || method === undefined ? {} : { 'mcp-method': method }),
    ...(own === undefined || name === undefined ? {} : { 'mcp-name': name }),
  }
}

function parseMessage(line: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(line)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

/** Passes on protocol errors as received; words errors of the service or the connection. */
function errorOf(error: unknown, id: string | number): string {
  if (error instanceof ConnectionError || error instanceof CommandError)
    return errorLine(id, INTERNAL_ERROR, error.message)
  if (!(error instanceof MemoryError)) throw error
  if (error.details['jsonrpc'] === '2.0') return JSON.stringify(error.details)
  return errorLine(id, INTERNAL_ERROR, `${error.message} (${codeOf(error)})`)
}
