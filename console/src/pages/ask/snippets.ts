import type { Schemas } from '../../api/client.ts'

/** What the question would be as a call of one's own; never with a real key. */
export type Call =
  | { route: 'ask'; body: Schemas['AskRequest'] }
  | { route: 'search'; body: Schemas['SearchRequest'] }

export interface Snippet {
  language: 'curl' | 'TypeScript' | 'MCP'
  code: string
  /** What has to be known besides. */
  hint: string
}

const PLACEHOLDER_KEY = 'YOUR_API_KEY'

/** The call for a shell, for TypeScript, and as an agent makes it. `url` has no slash at its end. */
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

/** One word of a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
