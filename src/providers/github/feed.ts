import type { TextExtractor } from '../../file-text/index.ts'
import type { Feed, SkippedItem } from '../feed.ts'
import { isRejected, type ProviderItem, type ProviderSession } from '../adapter.ts'
import { makeOnce } from '../../kernel/make-once.ts'
import { storedBelow } from '../stored-ids.ts'
import type { GitHub } from './client.ts'
import { readDiscussion } from './discussions.ts'
import { findBlob, readFile } from './files.ts'
import { findIssue, readThread } from './issues.ts'
import { createParts, type Entry, type Here, type Step, stepOf } from './parts.ts'
import { emptyPosition, newState, PARTS, type Place, placeOf, Position } from './position.ts'
import type { Repository } from './repositories.ts'

const PUBLIC_HOST = 'api.github.com'
const REMOVED_AT_ONCE = 1_000

export interface GitHubRun {
  github: GitHub
  session: ProviderSession
  extractor: TextExtractor
  itemsPerPage: number
  /** The API's host, which makes ids unique. */
  host: string
}

/** The repositories that a source reads, by id. */
export type FindRepositories = (github: GitHub) => Promise<Map<number, Repository>>

/** An item without the fields that all items of a repository share. */
type Read = Omit<ProviderItem, 'externalId'>

/**
 * The repositories of an account as a list and a feed. A round reads each repository's changes in the lists ordered by
 * time and in the tree of the default branch. Now and then it lists all issues to find deleted ones.
 */
export function createGitHubFeed(run: GitHubRun, find: FindRepositories): Feed<Entry> {
  const { github, session, host } = run
  const repositories = makeOnce(() => find(github))
  const parts = createParts(github, session, run.itemsPerPage)

  /** Runs steps until one finds something. */
  async function advance(from: Position, isCrawl: boolean) {
    const next = structuredClone(from)
    const known = await repositories()
    next.left ??= idsOf(known, next)
    for (;;) {
      session.signal.throwIfAborted()
      const [id] = next.left
      if (id === undefined) return { listed: [], gone: [], next: { ...next, left: null }, isLast: true }
      const repository = known.get(Number(id))
      const { listed, gone, isDone } = await (repository === undefined
        ? removeRepository(run, next, id, isCrawl)
        : readRepository(next, id, { repository, isCrawl, prefix: `${host}/${id}/` }))
      if (isDone) {
        next.left.shift()
        next.place = placeOf('issues')
      }
      if (listed.length + gone.length > 0) return { listed, gone, next, isLast: false }
    }
  }

  async function readRepository(
    position: Position,
    id: string,
    where: Pick<Here, 'repository' | 'isCrawl' | 'prefix'>,
  ): Promise<Step> {
    const { repository } = where
    const before = position.repositories[id]
    const isSame = before?.name === repository.full_name && before.isPublic === !repository.private
    // Every item contains the repository's name and visibility, so if either changes, all items are read again.
    const state = before !== undefined && isSame ? before : newState(repository, github.now())
    if (state !== before) position.place = placeOf('issues')
    position.repositories[id] = state
    if (state.branch !== null && state.branch !== repository.default_branch)
      state.tree = { sha: null, etag: null }
    state.branch = repository.default_branch
    const { place } = position
    const step = await parts[place.part]({ ...where, state, place }).catch((error: unknown) =>
      refused(error, where, place),
    )
    if (!step.isDone) return step
    const following = PARTS[PARTS.indexOf(place.part) + 1]
    if (following !== undefined) position.place = placeOf(following)
    return { ...step, isDone: following === undefined }
  }

  return {
    async start() {
      await repositories()
      return emptyPosition()
    },
    async list(after) {
      const page = await advance(after === null ? emptyPosition() : Position.parse(after), true)
      // The state of a part that the token may not read yet begins at its beginning.
      return { ...page, since: page.next }
    },
    changes: (since) => advance(Position.parse(since), false),
    async isWithinReach(externalId) {
      return (await repositories()).has(Number(ID.exec(externalId)?.[1]))
    },
    async read(externalId, entry) {
      if (entry !== null && 'refused' in entry) return { skipped: entry.refused }
      const [, id = '', part = '', rest = ''] = ID.exec(externalId) ?? []
      const repository = (await repositories()).get(Number(id))
      if (repository === undefined) return null
      const item = await READERS[part]?.(run, repository, rest, entry)
      return item == null || 'skipped' in item ? (item ?? null) : itemOf(externalId, item, host, repository)
    },
  }
}

/**
 * Deletes the items of a repository that was deleted or that the token can no longer read; after a crawl, the next run
 * deletes them. Its state is deleted at once, because a later round that finds the repository again must read everything.
 */
async function removeRepository(
  { session, host }: GitHubRun,
  position: Position,
  id: string,
  isCrawl: boolean,
): Promise<Step> {
  if (isCrawl) return stepOf({})
  const gone = await storedBelow(session, `${host}/${id}/`, REMOVED_AT_ONCE)
  delete position.repositories[id]
  return stepOf({ gone, isDone: gone.length === 0 })
}

/** Known repositories, and those of earlier rounds. */
function idsOf(known: ReadonlyMap<number, Repository>, { repositories }: Position): string[] {
  const ids = [...known.keys()].map(String)
  return [...ids, ...Object.keys(repositories).filter((id) => !known.has(Number(id)))]
}

/** Skips a part that the token may not read; its stored items stay. */
function refused(
  error: unknown,
  { repository, prefix }: Pick<Here, 'repository' | 'prefix'>,
  { part }: Place,
): Step {
  if (!isRejected(error)) throw error
  const what = part === 'sweep' ? 'issues' : part
  const entry = { refused: `${repository.full_name}, ${what}: ${error.message}` }
  return stepOf({ listed: [{ externalId: prefix + what, entry }] })
}

/** Reads an item by its id without the prefix. */
type Reader = (
  run: GitHubRun,
  repository: Repository,
  rest: string,
  entry: Entry | null,
) => Promise<Read | SkippedItem | null>

const READERS: Readonly<Record<string, Reader>> = {
  issues: readIssue,
  files: readMarkdown,
  discussions: ({ github, session }, repository, number) =>
    readDiscussion(github, repository, Number(number), session.limits.maxTextBytes),
}
const ID = new RegExp(String.raw`/(\d+)/(${Object.keys(READERS).join('|')})/([^]+)$`)

async function readIssue(
  { github, session }: GitHubRun,
  repository: Repository,
  number: string,
  entry: Entry | null,
): Promise<Read | null> {
  const listed = entry !== null && 'issue' in entry ? entry.issue : null
  const issue = listed ?? (await findIssue(github, repository, Number(number)))
  return issue === null ? null : await readThread(github, repository, issue, session.limits.maxTextBytes)
}

async function readMarkdown(
  { github, session, extractor }: GitHubRun,
  repository: Repository,
  path: string,
  entry: Entry | null,
): Promise<Read | SkippedItem | null> {
  const sha = entry !== null && 'blob' in entry ? entry.blob : await findBlob(github, repository, path)
  return sha === null ? null : await readFile(github, repository, { path, sha }, { session, extractor })
}

function itemOf(
  externalId: string,
  { metadata, ...item }: Read,
  host: string,
  { full_name: name, private: isPrivate }: Repository,
): ProviderItem {
  return {
    ...item,
    externalId,
    metadata: {
      workspace: name.slice(0, name.indexOf('/')),
      repository: name,
      ...metadata,
      // GitHub identifies readers by login, not by address, but everyone may read public repositories on github.com.
      ...(!isPrivate && host === PUBLIC_HOST && { accessPolicy: { visibility: 'public' as const } }),
    },
  }
}
