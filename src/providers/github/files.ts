import { z } from 'zod'
import { runCooperatively, type Pausable } from '../../kernel/cooperative.ts'
import type { TextExtractor } from '../../file-text/index.ts'
import type { SkippedItem } from '../feed.ts'
import { isMissing, ProviderError, type ProviderItem, type ProviderSession, returnIf } from '../adapter.ts'
import { extractFile, tooLarge } from '../extract-file.ts'
import { knownOf } from '../rest.ts'
import type { GitHub } from './client.ts'
import type { Repository } from './repositories.ts'

const MARKDOWN = /\.(?:md|markdown|mdx)$/i
/** Folders with other projects' files. */
const VENDORED = /(?:^|\/)(?:node_modules|vendor)\//
/** The beginning of what git has of a file that is stored elsewhere. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/'
const PATH_BYTES_MAX = 1_024
const FILES_MAX = 20_000
/** Maximum requests for a tree that is too large for one response. */
const WALKED_MAX = 2_000

const Tree = z.object({ sha: z.string(), tree: z.array(z.unknown()), truncated: z.boolean().optional() })
const TreeEntry = z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })
const Content = z.object({ type: z.literal('file'), sha: z.string() })
const Commit = z.object({
  commit: z.object({
    author: z.object({ name: z.string(), date: z.iso.datetime({ offset: true }) }).nullish(),
  }),
  author: z.object({ login: z.string() }).nullish(),
})

const Commits = knownOf(Commit)

/** The Markdown files of a tree: their blobs by path. */
export type TreeFiles = ReadonlyMap<string, string>

/**
 * The Markdown files below a tree. GitHub cuts the list of a tree with more than 100,000 entries or 7 MB; then each of its
 * folders is requested by itself.
 * @throws ProviderError
 */
export async function filesOf(
  github: GitHub,
  { full_name: name }: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<TreeFiles> {
  const files = new Map<string, string>()
  const waiting = [{ sha, prefix: '', isWhole: true }]
  for (let walked = 0; waiting.length > 0; walked += 1) {
    const next = waiting.pop()
    if (next === undefined) break
    if (walked >= WALKED_MAX) throw new ProviderError('rejected', 'The repository has too many folders')
    const query = next.isWhole ? '?recursive=1' : ''
    const { tree, truncated } = await github.get(`repos/${name}/git/trees/${next.sha}${query}`, Tree)
    if (truncated === true && next.isWhole) {
      waiting.push({ ...next, isWhole: false })
      continue
    }
    const { blobs, folders } = await runCooperatively(sorted(tree, next.prefix, !next.isWhole), signal)
    for (const [path, blob] of blobs) files.set(path, blob)
    waiting.push(...folders)
    if (files.size > FILES_MAX)
      throw new ProviderError('rejected', `The repository has more than ${FILES_MAX} Markdown files`)
  }
  return files
}

/** The entries of a tree. Symbolic links and submodules are not files. */
function* sorted(
  tree: readonly unknown[],
  prefix: string,
  withFolders: boolean,
): Pausable<{ blobs: [string, string][]; folders: { sha: string; prefix: string; isWhole: boolean }[] }> {
  const blobs: [string, string][] = []
  const folders: { sha: string; prefix: string; isWhole: boolean }[] = []
  for (const one of tree) {
    yield
    const { data: entry } = TreeEntry.safeParse(one)
    if (entry === undefined)
      throw new ProviderError('unavailable', 'GitHub answered in an unknown format (tree)')
    const path = prefix + entry.path
    if (entry.type === 'tree' && withFolders)
      folders.push({ sha: entry.sha, prefix: `${path}/`, isWhole: true })
    if (entry.type === 'blob' && entry.mode.startsWith('100') && isRead(path)) blobs.push([path, entry.sha])
  }
  return { blobs, folders }
}

const isRead = (path: string): boolean =>
  MARKDOWN.test(path) && !VENDORED.test(path) && Buffer.byteLength(path) <= PATH_BYTES_MAX

/** The tree of the default branch; null if it still has the `etag`, '' if there is none. */
export async function headOf(
  github: GitHub,
  { full_name: name, default_branch: branch }: Repository,
  etag: string | null,
): Promise<{ sha: string; etag: string | null } | null> {
  const page = await github
    .page(`repos/${name}/git/trees/${encodeURIComponent(branch)}`, Tree, etag)
    .catch(returnIf(isEmpty, { data: { sha: '' }, etag: null }))
  return page && { sha: page.data.sha, etag: page.etag }
}

/** An empty repository returns 409. */
const isEmpty = (error: unknown): boolean =>
  isMissing(error) || (error instanceof ProviderError && error.code === '409')

/** The current blob of a file; null if there is none. @throws ProviderError */
export async function findBlob(github: GitHub, repository: Repository, path: string): Promise<string | null> {
  const { full_name: name, default_branch: branch } = repository
  const address = `repos/${name}/contents/${encodedPath(path)}?ref=${encodeURIComponent(branch)}`
  return (await github.get(address, Content).catch(returnIf(isMissing, null)))?.sha ?? null
}

/** A file as an item; `skipped` when it has no text. @throws ProviderError */
export async function readFile(
  github: GitHub,
  repository: Repository,
  { path, sha }: { path: string; sha: string },
  reader: { session: ProviderSession; extractor: TextExtractor },
): Promise<Omit<ProviderItem, 'externalId'> | SkippedItem> {
  const { full_name: name, default_branch: branch, html_url: home } = repository
  const bytes = await github.raw(`repos/${name}/git/blobs/${sha}`)
  if (bytes.length > reader.session.limits.maxDownloadBytes) throw tooLarge(reader.session)
  if (bytes.subarray(0, LFS_POINTER.length).toString() === LFS_POINTER)
    return { title: `${name} ${path}`, skipped: 'The file is stored with Git LFS and is not read' }
  const { title, text } = await extractFile(reader, { format: 'markdown', bytes, charset: null, path })
  if (text.trim() === '') return { title: `${name} ${path}`, skipped: 'The file has no text' }
  const query = new URLSearchParams({ path, sha: branch, per_page: '1' })
  const [last] = await github.get(`repos/${name}/commits?${query.toString()}`, Commits)
  const { author } = last?.commit ?? {}
  const sender = last?.author?.login ?? author?.name
  const url = `${home}/blob/${encodedPath(branch)}/${encodedPath(path)}`
  const folders = path.split('/').slice(0, -1)
  return {
    sourceKind: 'file',
    title: title || path,
    body: text,
    url,
    authorName: sender ?? null,
    sourceCreatedAt: null,
    sourceUpdatedAt: author == null ? null : new Date(author.date),
    metadata: {
      objectType: 'file',
      path,
      ...(sender !== undefined && { sender }),
      folder: [...name.split('/'), ...folders].join(' / '),
      permalink: url,
    },
  }
}

const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
