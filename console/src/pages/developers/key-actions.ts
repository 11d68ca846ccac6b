import type { Schemas } from '../../api/client.ts'
import { filesProvider } from '../../api/provider-list.ts'

export type KeyAction = Schemas['ApiKey']['allowedActions'][number]

/** A source that accepts pushed documents; null without one. */
export type PushSource = { id: string; provider: string } | null

export interface ActionWords {
  description: string
  /** A route that it allows; one with a body is a POST unless it says otherwise. */
  request: { path: string; method?: string; body?: (source: PushSource) => Record<string, unknown> }
  /** The same call of the clients. */
  typescript: (source: PushSource) => string
  python: (source: PushSource) => string
}

export const QUESTION = 'How many vacation days do I get?'

/** All actions, the most characteristic of a key first. */
export const ACTIONS: Record<KeyAction, ActionWords> = {
  ask: {
    description: 'Get answers with citations',
    request: { path: '/v1/ask', body: () => ({ query: QUESTION }) },
    typescript: () => `const { answer, citations } = await memory.ask('${QUESTION}')`,
    python: () => `memory.ask("${QUESTION}")`,
  },
  search: {
    description: 'Search, and read stored items',
    request: { path: '/v1/search', body: () => ({ query: QUESTION }) },
    typescript: () => `const { hits } = await memory.search('${QUESTION}')`,
    python: () => `memory.search("${QUESTION}")`,
  },
  context: {
    description: 'Get a Context Contract',
    request: { path: '/v1/context', body: () => ({ query: QUESTION }) },
    typescript: () => `const contract = await memory.context('${QUESTION}')`,
    python: () => `memory.context("${QUESTION}")`,
  },
  ingest: {
    description: 'Push documents, and delete them',
    request: { path: '/v1/ingest', body: (source) => ({ documents: [exampleDocument(source)] }) },
    typescript: (source) => `await memory.ingest([${JSON.stringify(exampleDocument(source), null, 2)}])`,
    python: (source) =>
      `memory.ingest([${JSON.stringify(exampleDocument(source), null, 4).replaceAll('\n', '\n    ')}])`,
  },
  'memory:read': {
    description: 'Read the memory canvas',
    request: { path: '/v1/memory-canvas' },
    typescript: () => `const { nodes } = await memory.memoryCanvas.get()`,
    python: () => 'memory.memory_canvas.get()',
  },
  'sources:read': {
    description: 'List sources and channels',
    request: { path: '/v1/sources' },
    typescript: () => `const sources = await memory.sources.list()`,
    python: () => 'memory.sources.list()',
  },
  'sync:read': {
    description: 'List sync runs',
    request: { path: '/v1/sync-runs' },
    typescript: () => `const runs = await memory.syncRuns.list()`,
    python: () => 'memory.sync_runs.list()',
  },
  'sync:write': {
    description: 'Start sync runs',
    request: { path: '/v1/sync-runs', body: (source) => ({ connectorId: idOf(source) }) },
    typescript: (source) => `await memory.syncRuns.start({ connectorId: '${idOf(source)}' })`,
    python: (source) => `memory.sync_runs.start({"connectorId": "${idOf(source)}"})`,
  },
  'sources:write': {
    description: 'Choose Slack channels',
    request: {
      path: '/v1/sources/{id}',
      method: 'PATCH',
      body: () => ({ channelAllowlist: ['CHANNEL_ID'] }),
    },
    typescript: (source) => `await memory.sources.setChannelAllowlist('${idOf(source)}', ['CHANNEL_ID'])`,
    python: (source) => `memory.sources.set_channel_allowlist("${idOf(source)}", ["CHANNEL_ID"])`,
  },
  admin: {
    description: 'Manage keys, read the audit trail, run maintenance',
    request: { path: '/v1/api-keys' },
    typescript: () => `const keys = await memory.apiKeys.list()`,
    python: () => 'memory.api_keys.list()',
  },
}

export const ALL_ACTIONS = Object.keys(ACTIONS).filter((name): name is KeyAction => name in ACTIONS)

/** A request body for the route at `path`; empty for routes without an example. */
export function exampleBody(path: string): Record<string, unknown> {
  if (path === '/mcp') return { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const shown = Object.values(ACTIONS).find(({ request }) => request.path === path && request.body)
  return shown?.request.body?.(null) ?? {}
}

export function idOf(source: PushSource): string {
  return source?.id ?? 'SOURCE_ID'
}

function exampleDocument(source: PushSource): Record<string, string> {
  return {
    connectorId: idOf(source),
    provider: source?.provider ?? filesProvider(),
    sourceKind: 'document',
    externalId: 'handbook/pto',
    title: 'PTO policy',
    body: 'Employees accrue 25 days of paid time off per year.',
  }
}
