import { filesProvider } from '../../api/provider-list.ts'
import type { KeyAction } from './key-presets.ts'

export interface Snippet {
  /** The tab's label. */
  name: string
  text: string
}

interface Given {
  /** The service's base URL, without a trailing slash. */
  url: string
  secret: string
  actions: readonly KeyAction[]
  /** A source that accepts pushed documents; null without one. */
  source: { id: string; provider: string } | null
}

export const QUESTION = 'How many vacation days do I get?'
const MCP_ACTIONS: ReadonlySet<KeyAction> = new Set(['search', 'context', 'ask', 'ingest', 'sources:read'])

/** Code to copy and run: one of the key's actions per client, and the MCP setup if it allows a tool. */
export function snippetsOf(given: Given): Snippet[] {
  const isForAgents = given.actions.some((action) => MCP_ACTIONS.has(action))
  return [
    { name: 'curl', text: curl(given) },
    { name: 'TypeScript', text: typescript(given) },
    { name: 'Python', text: python(given) },
    ...(isForAgents ? mcp(given) : []),
  ]
}

function curl({ url, secret, actions, source }: Given): string {
  const post = (path: string, body: unknown): string =>
    [
      `curl ${url}${path} \\`,
      `  -H 'Authorization: Bearer ${secret}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(body)}'`,
    ].join('\n')
  const get = (path: string): string => `curl ${url}${path} \\\n  -H 'Authorization: Bearer ${secret}'`
  switch (firstUse(actions)) {
    case 'search':
    case 'context':
    case 'ask':
    case 'ingest': {
      const path = `/v1/${firstUse(actions)}`
      return post(path, exampleBody(path, source))
    }
    case 'memory:read':
      return get('/v1/memory-canvas')
    case 'sources:read':
      return get('/v1/sources')
    case 'sources:write':
      return `curl -X PATCH ${url}/v1/sources/${source?.id ?? 'SOURCE_ID'} \\
  -H 'Authorization: Bearer ${secret}' \\
  -H 'Content-Type: application/json' \\
  -d '{"channelAllowlist":["CHANNEL_ID"]}'`
    case 'sync:read':
      return get('/v1/sync-runs')
    case 'sync:write':
      return post('/v1/sync-runs', exampleBody('/v1/sync-runs', source))
    case 'admin':
      return get('/v1/api-keys')
  }
}

function typescript({ url, secret, actions, source }: Given): string {
  return [
    `import { Memory } from '@retrieval-memory/client'`,
    '',
    `// On a server: anyone who opens a page can read its code.`,
    `const memory = new Memory({`,
    `  apiKey: '${secret}',`,
    `  url: '${url}',`,
    `})`,
    typescriptCall(firstUse(actions), source),
  ].join('\n')
}

function typescriptCall(action: KeyAction, source: Given['source']): string {
  switch (action) {
    case 'ask':
      return `const { answer, citations } = await memory.ask('${QUESTION}')`
    case 'context':
      return `const contract = await memory.context('${QUESTION}')`
    case 'search':
      return `const { hits } = await memory.search('${QUESTION}')`
    case 'ingest':
      return `await memory.ingest([${JSON.stringify(exampleDocument(source), null, 2)}])`
    case 'memory:read':
      return `const { nodes } = await memory.memoryCanvas.get()`
    case 'sources:read':
      return `const sources = await memory.sources.list()`
    case 'sources:write':
      return `await memory.sources.setChannelAllowlist('${source?.id ?? 'SOURCE_ID'}', ['CHANNEL_ID'])`
    case 'sync:read':
      return `const runs = await memory.syncRuns.list()`
    case 'sync:write':
      return `await memory.syncRuns.start({ connectorId: '${source?.id ?? 'SOURCE_ID'}' })`
    case 'admin':
      return `const keys = await memory.apiKeys.list()`
  }
}

function python({ url, secret, actions, source }: Given): string {
  return [
    'from retrieval_memory import Memory',
    '',
    `with Memory("${secret}", "${url}") as memory:`,
    `    print(${pythonCall(firstUse(actions), source)})`,
  ].join('\n')
}

function pythonCall(action: KeyAction, source: Given['source']): string {
  const id = source?.id ?? 'SOURCE_ID'
  switch (action) {
    case 'ask':
    case 'context':
    case 'search':
      return `memory.${action}("${QUESTION}")`
    case 'ingest':
      return `memory.ingest([${JSON.stringify(exampleDocument(source), null, 4).replaceAll('\n', '\n    ')}])`
    case 'memory:read':
      return 'memory.memory_canvas.get()'
    case 'sources:read':
      return 'memory.sources.list()'
    case 'sources:write':
      return `memory.sources.set_channel_allowlist("${id}", ["CHANNEL_ID"])`
    case 'sync:read':
      return 'memory.sync_runs.list()'
    case 'sync:write':
      return `memory.sync_runs.start({"connectorId": "${id}"})`
    case 'admin':
      return 'memory.api_keys.list()'
  }
}

function mcp({ url, secret }: Given): Snippet[] {
  const configuration = {
    mcpServers: { memory: { url: `${url}/mcp`, headers: { Authorization: `Bearer ${secret}` } } },
  }
  return [
    {
      name: 'Claude Code',
      text: `claude mcp add --transport http memory ${url}/mcp \\\n  --header "Authorization: Bearer ${secret}"`,
    },
    { name: 'MCP client', text: JSON.stringify(configuration, null, 2) },
  ]
}

const BY_USE: readonly KeyAction[] = [
  'ask',
  'search',
  'context',
  'ingest',
  'memory:read',
  'sources:read',
  'sync:read',
  'sync:write',
  'sources:write',
]

/** The action that shows best what the key is for. */
function firstUse(actions: readonly KeyAction[]): KeyAction {
  return BY_USE.find((action) => actions.includes(action)) ?? 'admin'
}

/** A request body for the route at `path`; empty for routes without an example. */
export function exampleBody(path: string, source: Given['source'] = null): Record<string, unknown> {
  switch (path) {
    case '/v1/search':
    case '/v1/context':
    case '/v1/ask':
      return { query: QUESTION }
    case '/v1/ingest':
      return { documents: [exampleDocument(source)] }
    case '/v1/sync-runs':
      return { connectorId: source?.id ?? 'SOURCE_ID' }
    case '/mcp':
      return { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    default:
      return {}
  }
}

function exampleDocument(source: Given['source']): Record<string, string> {
  return {
    connectorId: source?.id ?? 'SOURCE_ID',
    provider: source?.provider ?? filesProvider(),
    sourceKind: 'document',
    externalId: 'handbook/pto',
    title: 'PTO policy',
    body: 'Employees accrue 25 days of paid time off per year.',
  }
}
