// The pages of the site in the order of its sidebar. A test fails while a page of docs/ is missing here; decision records
// are listed on the page about architecture.

/** @type {{ text: string, pages: string[] }[]} */
export const SECTIONS = [
  {
    text: 'Tutorials',
    pages: [
      'tutorials/first-answer',
      'tutorials/connect-slack',
      'tutorials/agent-over-mcp',
      'tutorials/support-bot',
      'tutorials/sell-plans',
    ],
  },
  {
    text: 'Guides',
    pages: [
      'guides/import-documents',
      'guides/connect-google',
      'guides/connect-notion',
      'guides/choose-models',
      'guides/measure-search',
      'guides/move-here',
      'guides/deploy',
      'guides/go-to-production',
      'guides/sign-in',
      'guides/provision-people',
      'guides/reverse-proxy',
      'guides/back-up-and-restore',
      'guides/upgrade',
      'guides/rotate-secrets',
      'guides/scale-out',
      'guides/approximate-index',
      'guides/runbooks',
      'guides/troubleshoot',
    ],
  },
  {
    text: 'Reference',
    pages: [
      'reference/settings',
      'reference/errors',
      'reference/limits',
      'reference/keys',
      'reference/ingest',
      'reference/retrieval',
      'reference/answers',
      'reference/memory-canvas',
      'reference/mcp',
      'reference/clients',
      'reference/typescript-client',
      'reference/python-client',
      'reference/command-line',
      'reference/file-formats',
      'reference/webhooks',
      'reference/audit',
      'reference/console',
      'reference/console-routes',
      'reference/billing',
      'reference/operator',
      'reference/observability',
      'reference/emulators',
      'reference/glossary',
    ],
  },
  {
    text: 'Connectors',
    pages: [
      'reference/connectors/overview',
      'reference/connectors/slack',
      'reference/connectors/google-drive',
      'reference/connectors/gmail',
      'reference/connectors/notion',
    ],
  },
  {
    text: 'Explanation',
    pages: [
      'explanation/retrieval',
      'explanation/how-answers-are-made',
      'explanation/security',
      'explanation/permissions',
      'explanation/durability',
      'explanation/reliability',
      'explanation/limits',
      'explanation/comparison',
      'explanation/benchmarks',
      'explanation/evaluation',
      'explanation/architecture',
    ],
  },
  { text: 'Project', pages: ['project/contributing', 'project/changelog', 'project/security'] },
]

/** Pages of the site that stand elsewhere in the checkout. */
export const ELSEWHERE = new Map([
  ['ARCHITECTURE.md', 'explanation/architecture.md'],
  ['CHANGELOG.md', 'project/changelog.md'],
  ['CONTRIBUTING.md', 'project/contributing.md'],
  ['SECURITY.md', 'project/security.md'],
  ['client/README.md', 'reference/typescript-client.md'],
  ['client/python/README.md', 'reference/python-client.md'],
])
