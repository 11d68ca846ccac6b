import type { Route } from './route.ts'

/** What the operations under each tag are about. A console tag is its agent tag's twin, for people. */
const DESCRIPTIONS: Record<string, string> = {
  Retrieval: 'Search, context contracts and cited answers.',
  Ingest: 'Store, list and delete documents.',
  'Memory canvas': 'The people, organizations, channels and topics that stored items name.',
  Maintenance: 'Clean-ups and moves to another embedding model.',
  'API keys': 'Mint, list and revoke API keys.',
  Sources: 'Connected provider accounts and push-only sources.',
  'Sync runs': 'Start and follow the runs that read a connected account.',
  Connectors: 'Connect provider accounts, and request access to gated providers.',
  Audit: 'Who did what, and when.',
  Workspaces: 'Create, change and delete workspaces.',
  Members: 'The people of a workspace, and invitations.',
  Billing: 'Plan, credits, checkout and usage.',
  Webhooks: 'Endpoints of yours that events are sent to.',
  Events: 'What the service sends to your webhooks, by Standard Webhooks.',
  Operator: 'What the operator of the deployment does, with the operator token.',
  Operations: 'Health, metrics and this document.',
}

const CONSOLE = ' (console)'

/** The tags of these routes, in their order, with the tag of what the service sends; each with what it is about. */
export function tagsOf<S>(routes: readonly Route<S>[]): { name: string; description: string }[] {
  const names = new Set([...routes.map(({ tag }) => tag), 'Events'])
  return [...names].map((name) => ({ name, description: describe(name) }))
}

function describe(name: string): string {
  if (!name.endsWith(CONSOLE)) return DESCRIPTIONS[name] ?? ''
  const description = DESCRIPTIONS[name.slice(0, -CONSOLE.length)]
  return description === undefined ? '' : `${description} For people who are signed in.`
}
