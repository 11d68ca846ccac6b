import { timeOf } from './json.ts'
import { NOT_FOUND, PAGING, refusal, type RepositoryRoute, type RouteContext } from './reply.ts'
import type { GitHubState, TreeEntry } from './state.ts'

/** The repository, and its trees, blobs, contents and commits. */
export function gitRoutes({ state, json, treeEntriesMax }: RouteContext): RepositoryRoute[] {
  return [
    {
      pattern: /^$/,
      parameters: [],
      right: 'metadata',
      answer: ({ repository }) => ({ json: json.repository(repository) }),
    },
    {
      pattern: /^\/git\/trees\/([^/]+)$/,
      parameters: ['recursive'],
      right: 'contents',
      answer: ({ repository, query, matched: [named = ''] }) => {
        const ref = decodeURIComponent(named)
        if (repository.files.size === 0) return refusal(409, 'Git Repository is empty.')
        const sha = ref === repository.branch ? state.writeTree(repository) : ref
        const tree = state.trees.get(sha)
        if (tree === undefined) return NOT_FOUND
        const entries = query.has('recursive') ? below(state, tree, '') : tree
        const truncated = query.has('recursive') && entries.length > treeEntriesMax
        return { json: { sha, tree: truncated ? entries.slice(0, treeEntriesMax) : entries, truncated } }
      },
    },
    {
      pattern: /^\/git\/blobs\/([0-9a-f]{40})$/,
      parameters: [],
      right: 'contents',
      answer: ({ headers, matched: [sha = ''] }) => {
        const content = state.blobs.get(sha)
        if (content === undefined) return NOT_FOUND
        const bytes = Buffer.from(content)
        const { accept } = headers
        if (accept === 'application/vnd.github.raw+json')
          return { bytes, headers: { 'content-type': accept } }
        return { json: { sha, size: bytes.length, encoding: 'base64', content: bytes.toString('base64') } }
      },
    },
    {
      pattern: /^\/contents\/(.+)$/,
      parameters: ['ref'],
      right: 'contents',
      answer: ({ repository, query, matched: [named = ''] }) => {
        const path = decodeURIComponent(named)
        if (query.get('ref') !== repository.branch || !repository.files.has(path)) return NOT_FOUND
        const tree = state.trees.get(state.writeTree(repository)) ?? []
        const sha = below(state, tree, '').find((entry) => entry.path === path)?.sha
        return { json: { type: 'file', path, sha } }
      },
    },
    {
      pattern: /^\/commits$/,
      parameters: [...PAGING, 'path', 'sha', 'since', 'until', 'author'],
      right: 'contents',
      answer: ({ repository, query }) => {
        if (query.get('sha') !== repository.branch) return NOT_FOUND
        const file = repository.files.get(query.get('path') ?? '')
        if (file === undefined) return { json: [] }
        const author = { name: file.by, date: timeOf(file.changedAt) }
        return { json: [{ sha: 'c'.repeat(40), commit: { author }, author: { login: file.by } }] }
      },
    },
  ]
}

function below(state: GitHubState, tree: readonly TreeEntry[], prefix: string): TreeEntry[] {
  return tree.flatMap((entry) => {
    const path = prefix + entry.path
    const inside = entry.type === 'tree' ? below(state, state.trees.get(entry.sha) ?? [], `${path}/`) : []
    return [{ ...entry, path }, ...inside]
  })
}
