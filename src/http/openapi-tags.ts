import type { Route } from './route.ts'

/** A console tag is its agent tag's twin, for people. */
const DESCRIPTIONS: Record<string, string> = {
  Retrieval: 'Search, context contracts and cited answers.',
  Threads: "A person's questions and their answers.",
  Evaluation: 'Questions with known answers, and the runs that measured them.',
  Ingest: 'Store, list and delete documents.',
  'Memory canvas': 'The graph of entities named in stored items.',
  Maintenance: 'Cleanups and moves to another embedding model.',
  'API keys': 'Create, list and revoke API keys.',
  Sources: 'Connected provider accounts and push-only sources.',
  'Sync runs': 'Start and follow sync runs of connected accounts.',
  Connectors: 'Connect provider accounts, and request access to gated providers.',
  Audit: 'Who did what, and when.',
  Workspaces: 'Create, change and delete workspaces.',
  Groups: 'Groups of people that access policies name.',
  SCIM: 'Tokens that let your identity provider provision people and groups.',
  Members: 'The people of a workspace, and invitations.',
  Billing: 'Plan, credits, checkout and usage.',
  Webhooks: 'Your endpoints for events.',
  Events: 'Events that the service sends to your webhooks (Standard Webhooks).',
  Operator: 'For the operator of the deployment, with the operator token.',
  Operations: 'Health, metrics and this document.',
}

const CONSOLE = ' (console)'
/** Tags of operations that neither keys nor console users call. */
const OPERATORS = new Set(['Operator', 'Operations'])

/** The tags grouped by caller, so that readers of the API do not see the console's operations among their own. */
export function tagGroupsOf<S>(routes: readonly Route<S>[]): { name: string; tags: string[] }[] {
  const names = tagsOf(routes).map(({ name }) => name)
  const groupOf = (name: string): string => {
    if (name === 'Events') return 'Webhooks'
    if (OPERATORS.has(name)) return 'Operation'
    return isForPeople(name, routes) ? 'Console' : 'API'
  }
  const groups = Map.groupBy(names, groupOf)
  return ['API', 'Webhooks', 'Console', 'Operation'].flatMap((name) => {
    const tags = groups.get(name)
    return tags === undefined ? [] : [{ name, tags }]
  })
}

function isForPeople<S>(tag: string, routes: readonly Route<S>[]): boolean {
  return routes
    .filter((route) => route.tag === tag)
    .every(
      ({ access }) =>
        access.surface === 'console' || access.surface === 'user' || access.surface === 'public',
    )
}

/** The described tags of these routes in their order, with the tag of the service's own events. */
export function tagsOf<S>(routes: readonly Route<S>[]): { name: string; description: string }[] {
  const names = new Set([...routes.map(({ tag }) => tag), 'Events'])
  return [...names].map((name) => ({ name, description: describe(name) }))
}

function describe(name: string): string {
  if (!name.endsWith(CONSOLE)) return DESCRIPTIONS[name] ?? ''
  const description = DESCRIPTIONS[name.slice(0, -CONSOLE.length)]
  return description === undefined ? '' : `${description} For signed-in people.`
}
