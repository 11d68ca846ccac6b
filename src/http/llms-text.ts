import { z } from 'zod'
import { ERRORS } from '../kernel/error-codes.ts'
import { exampleOf } from './examples.ts'
import type { Route } from './route.ts'

export interface LlmsTextOptions {
  /** The service's base URL, without a trailing slash. */
  url: string
  requestsPerMinute: number
}

/** The agent surface as one Markdown page that a language model can read whole (https://llmstxt.org). */
export function llmsText<S>(routes: readonly Route<S>[], options: LlmsTextOptions): string {
  const agentRoutes = routes.filter(({ access }) => access.surface === 'agent')
  const byTag = Map.groupBy(agentRoutes, ({ tag }) => tag)
  const operations = [...byTag].map(
    ([tag, tagged]) => `## ${tag}\n\n${tagged.map((route) => operationLine(route, options.url)).join('\n')}`,
  )
  return [introduction(options), ...operations, reference(options.url)].join('\n\n') + '\n'
}

function introduction({ url, requestsPerMinute }: LlmsTextOptions): string {
  return `# Retrieval Memory Service

> Keeps an organization's documents as searchable memory for agents: \`POST /v1/search\` finds passages, \`POST /v1/context\` finds them with citations and what was left out, \`POST /v1/ask\` answers with citations.

The base URL is ${url}. A first request:

    curl -s ${url}/v1/ask -H "Authorization: Bearer $MEMORY_API_KEY" -H "Content-Type: application/json" -d '{"query": "How many vacation days do I get?"}'

- Keys: every operation below requires \`Authorization: Bearer svc_…\`, an API key that allows its action. A missing or wrong key is 401, a key without the action 403. A key may be limited to some providers; nothing else is visible to it.
- Bodies are JSON in UTF-8 with \`Content-Type: application/json\`. Unknown fields are refused. Times are ISO 8601 in UTC, ids are UUIDs. Ids in the examples are made up: \`GET /v1/sources\` lists sources, whose \`id\` is \`connectorId\` elsewhere; \`GET /v1/source-items\` lists what is stored.
- Paged lists take \`cursor\` and \`limit\` and return \`nextCursor\`, which is null on the last page.
- Limits: ${requestsPerMinute} requests a minute for each key and action; \`X-RateLimit-Remaining\` says how many are left. After 429 \`rate_limited\` or 503 wait \`Retry-After\` seconds. Operations cost a credit only if they succeed.
- Errors are JSON, \`{ "error": "what to do", "code": "…" }\`, and sometimes further fields. Every answer carries \`X-Request-Id\`. The codes:

${errorList()}`
}

function errorList(): string {
  return Object.entries(ERRORS)
    .map(([code, { http, error }]) => `  - \`${code}\` (${http}): ${error}`)
    .join('\n')
}

/** A list entry in the format's form: a link, then its description. */
function operationLine<S>(route: Route<S>, url: string): string {
  const { method, path, summary, description, access, credits, body } = route
  const action = access.surface === 'agent' ? ` Action \`${access.action}\`` : ''
  const cost = credits === 0 ? 'free' : '1 credit'
  const words = description === undefined ? `${summary}.` : `${summary}. ${description}`
  const example =
    body === undefined ? `\`${method} ${examplePath(route)}\`` : `\`${JSON.stringify(exampleOf(body))}\``
  return `- [${method} ${path}](${url}/docs#${anchorOf(route)}): ${words}${queryOf(route)}${action}, ${cost}. Example: ${example}`
}

/** The operation's anchor on the reference page. */
function anchorOf<S>({ tag, method, path }: Route<S>): string {
  return `tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method}${path}`
}

function examplePath<S>({ path, params, query }: Route<S>): string {
  const filled = Object.entries(examplesOf(params)).reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, value),
    path,
  )
  const search = new URLSearchParams(examplesOf(query))
  return search.size > 0 ? `${filled}?${search.toString()}` : filled
}

function examplesOf(schema: z.ZodType | undefined): Record<string, string> {
  const example = schema === undefined ? {} : exampleOf(schema)
  return Object.fromEntries(Object.entries(Object(example)).map(([name, value]) => [name, String(value)]))
}

function queryOf<S>({ query }: Route<S>): string {
  const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
  return names.length === 0 ? '' : ` Query: ${names.map((name) => `\`${name}\``).join(', ')}.`
}

function reference(url: string): string {
  return `## Reference

- [MCP](${url}/mcp): the same as tools, for clients of the Model Context Protocol, by streamable HTTP with the same key
- [OpenAPI document](${url}/openapi.json): every operation with its schemas, examples and errors, also those of the console
- [Reference page](${url}/docs): the same for people`
}
