import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  SUPPORTED_PROTOCOL_VERSIONS,
  type CallToolResult,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Route } from '../http/route.ts'
import { AppError } from '../kernel/errors.ts'
import { callRoute, type Calling, mayCall, type Refusal, refusalOf } from './call-route.ts'
import { plainJsonSchema, shownSchema, toObject } from './json-schema.ts'
import { DATA_NOTICE, ITEM_OPERATION, type Tool, TOOLS } from './tools.ts'

interface OfferedTool<S> {
  tool: Tool
  route: Route<S>
  takes: StandardSchemaWithJSON<unknown, unknown>
  gives: StandardSchemaWithJSON<unknown, unknown>
}

const OLDEST_PROTOCOL = '2025-03-26'
const ITEM_URI = 'memory://items/{id}'

const INSTRUCTIONS = `The memory of an organization: what its documents, messages and files say. \`ask\` answers a question with citations, \`search\` finds passages, \`fetch\` reads one item whole. Cite what you use by title and url. ${DATA_NOTICE}`

/** Creates the server for one request; it lists what the caller may use. */
export function createMcpServers<S>(
  server: FastifyInstance,
  { routes, version }: { routes: readonly Route<S>[]; version: string },
): (calling: Calling) => McpServer {
  const offered = offerTools(routes)
  return (calling) => {
    const usable = offered.filter(({ route }) => mayCall(route.access, calling.caller))
    const items = usable.find(({ route }) => isOperation(route, ITEM_OPERATION))
    // Nothing changes within a request, and nothing outlives it.
    const listed = { listChanged: false }
    const mcp = new McpServer(
      { name: 'retrieval-memory-service', title: 'Retrieval Memory Service', version },
      {
        instructions: INSTRUCTIONS,
        supportedProtocolVersions: SUPPORTED_PROTOCOL_VERSIONS.filter((each) => each >= OLDEST_PROTOCOL),
        capabilities: { tools: listed, ...(items ? { resources: listed } : {}) },
      },
    )
    for (const each of usable) addTool(mcp, server, calling, each)
    if (items) addItems(mcp, server, calling, items.route)
    return mcp
  }
}

/** Every tool with the agents' route and with its console twin. Created once: schemas take some milliseconds. */
function offerTools<S>(routes: readonly Route<S>[]): OfferedTool<S>[] {
  return TOOLS.flatMap((tool) =>
    routes
      .filter((route) => isOperation(route, tool.operationId))
      .map((route) => ({
        tool,
        route,
        takes: shownSchema(tool.takes(route.body ? plainJsonSchema(route.body, 'input') : {})),
        gives: shownSchema(
          tool.gives(route.responses[200] ? plainJsonSchema(route.responses[200], 'output') : {}),
        ),
      })),
  )
}

function isOperation<S>(route: Route<S>, operationId: string): boolean {
  const twin = `console${operationId[0]?.toUpperCase()}${operationId.slice(1)}`
  return route.operationId === operationId || route.operationId === twin
}

function addTool<S>(
  mcp: McpServer,
  server: FastifyInstance,
  calling: Calling,
  { tool, route, takes, gives }: OfferedTool<S>,
): void {
  const { name, title, description, writes } = tool
  const annotations = {
    readOnlyHint: !writes,
    destructiveHint: writes,
    idempotentHint: true,
    openWorldHint: false,
  }
  mcp.registerTool(
    name,
    { title, description, inputSchema: takes, outputSchema: gives, annotations },
    async (given): Promise<CallToolResult> => {
      const args = toObject(given)
      const call = callOf(tool, args, route.path)
      if ('refusal' in call) return refused(call.refusal)
      const answer = await callRoute(server, calling, call)
      return 'refusal' in answer ? refused(answer.refusal, tool.toFault) : tool.toResult(answer.body, args)
    },
  )
}

function callOf(
  tool: Tool,
  args: Record<string, unknown>,
  path: string,
): ReturnType<Tool['toCall']> | { refusal: Refusal } {
  try {
    return tool.toCall(args, path)
  } catch (error) {
    if (error instanceof AppError) return { refusal: refusalOf(error) }
    throw error
  }
}

/** An error that the model can read and act on. */
function refused(
  { code, message, issues, retryAfterSeconds }: Refusal,
  toFault: (fault: string) => string = (fault) => fault,
): CallToolResult {
  const wait = retryAfterSeconds === null ? [] : [`Try again in ${retryAfterSeconds} seconds.`]
  const faults = (issues.length > 0 ? issues : [message]).map((fault) => toFault(fault))
  return {
    isError: true,
    content: [{ type: 'text', text: [`${code}: ${faults.join('\n')}`, ...wait].join('\n') }],
  }
}

const ItemText = z.object({ sourceItem: z.object({ body: z.string() }) })

/** Items as resources, so that a client can open what was cited. Search finds them; they are not listed. */
function addItems<S>(mcp: McpServer, server: FastifyInstance, calling: Calling, route: Route<S>): void {
  mcp.registerResource(
    'item',
    new ResourceTemplate(ITEM_URI, { list: undefined }),
    {
      title: 'Stored item',
      description: `The whole text of a stored item. ${DATA_NOTICE}`,
      mimeType: 'text/plain',
    },
    async (uri, { id }) => {
      const path = route.path.replace('{id}', encodeURIComponent(String(id)))
      const answer = await callRoute(server, calling, { method: 'GET', path })
      if ('body' in answer) {
        const { body } = ItemText.parse(answer.body).sourceItem
        return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: body }] }
      }
      const { code, message } = answer.refusal
      if (code === 'not_found') throw new ResourceNotFoundError(uri.href)
      throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`)
    },
  )
}
