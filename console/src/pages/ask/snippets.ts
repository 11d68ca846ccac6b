import type { Schemas } from '../../api/client.ts'

/** The API request that corresponds to the question. It never contains a real key. */
export type Call =
  | { route: 'ask'; body: Schemas['AskRequest'] }
  | { route: 'search'; body: Schemas['SearchRequest'] }

export interface Snippet {
  language: 'curl' | 'TypeScript' | 'MCP'
  code: string
  /** What the user needs to run it. */
  hint: string
}

const PLACEHOLDER_KEY = 'YOUR_API_KEY'

/** The request as curl, TypeScript and an MCP tool call. `url` has no trailing slash. */
export function snippetsOf(call: Call, url: string): readonly Snippet[] {
  return [
    {
      language: 'curl',
      code: curlOf(call, url),
      hint: 'Replace the placeholder with a key from Developers.',
    },
    {
      language: 'TypeScript',
      code: typescriptOf(call, url),
      hint: 'With the package @retrieval-memory/client.',
    },
    {
      language: 'MCP',
      code: json({ name: call.route, arguments: call.body }),
      hint: `The parameters of tools/call at ${url}/mcp.`,
    },
  ]
}

function curlOf({ route, body }: Call, url: string): string {
  return `curl ${quoted(`${url}/v1/${route}`)} \\
  -H 'Authorization: Bearer ${PLACEHOLDER_KEY}' \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(json(body))}`
}

function typescriptOf({ route, body }: Call, url: string): string {
  return `import { Memory } from '@retrieval-memory/client'

const memory = new Memory({ apiKey: '${PLACEHOLDER_KEY}', url: ${JSON.stringify(url)} })
const result = await memory.${route}(${json(body)})`
}

/** Quotes a string as one shell word. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
