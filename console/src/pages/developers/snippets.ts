import {
  ACTIONS,
  type ActionWords,
  ALL_ACTIONS,
  idOf,
  type KeyAction,
  type PushSource,
} from './key-actions.ts'

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
  source: PushSource
}

const MCP_ACTIONS: ReadonlySet<KeyAction> = new Set(['search', 'context', 'ask', 'ingest', 'sources:read'])

/** Code to copy and run: one of the key's actions per client, and the MCP setup if it allows a tool. */
export function snippetsOf(given: Given): Snippet[] {
  const action = ACTIONS[ALL_ACTIONS.find((one) => given.actions.includes(one)) ?? 'admin']
  const isForAgents = given.actions.some((one) => MCP_ACTIONS.has(one))
  return [
    { name: 'curl', text: curl(given, action) },
    { name: 'TypeScript', text: typescript(given, action) },
    { name: 'Python', text: python(given, action) },
    ...(isForAgents ? mcp(given) : []),
  ]
}

function curl({ url, secret, source }: Given, { request }: ActionWords): string {
  const { path, body, method = 'POST' } = request
  const address = `${url}${path.replace('{id}', idOf(source))}`
  return [
    method === 'POST' ? `curl ${address}` : `curl -X ${method} ${address}`,
    `-H 'Authorization: Bearer ${secret}'`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body(source))}'`] : []),
  ].join(' \\\n  ')
}

function typescript({ url, secret, source }: Given, action: ActionWords): string {
  return [
    `import { Memory } from '@retrieval-memory/client'`,
    '',
    `// On a server: anyone who opens a page can read its code.`,
    `const memory = new Memory({`,
    `  apiKey: '${secret}',`,
    `  url: '${url}',`,
    `})`,
    action.typescript(source),
  ].join('\n')
}

function python({ url, secret, source }: Given, action: ActionWords): string {
  return [
    'from retrieval_memory import Memory',
    '',
    `with Memory("${secret}", "${url}") as memory:`,
    `    print(${action.python(source)})`,
  ].join('\n')
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
