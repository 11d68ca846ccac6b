import { z } from 'zod'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Listed } from '../feed.ts'
import { isRejected, type ProviderSession, returnIf } from '../adapter.ts'
import { parseKnown } from '../rest.ts'
import { storedBelow } from '../stored-ids.ts'
import type { GitHub } from './client.ts'
import { allDiscussions, listDiscussions } from './discussions.ts'
import { filesOf, headOf, type TreeFiles } from './files.ts'
import { CommentPlace, type Issue, ListedIssue } from './issues.ts'
import { type Place, type RepositoryState, timeBefore } from './position.ts'
import type { Repository } from './repositories.ts'

/** All issues are listed every hour; beyond ten pages, ten pages an hour. */
const SWEEP_MS_PER_PAGE = HOUR_MS / 10
const SWEPT_MAX = 500
/** GitHub's maximum page size. */
const LARGEST_PAGE = 100
const Entries = z.array(z.unknown())
const Numbered = z.object({ number: z.int() })

/**
 * The list entry of an item: an issue (null if it must still be requested), the blob of a file, or why a part is not
 * read.
 */
export type Entry = { issue: Issue | null } | { blob: string } | { refused: string }

/** A repository in a round. */
export interface Here {
  repository: Repository
  /** The prefix of its item ids. */
  prefix: string
  state: RepositoryState
  place: Place
  /** A first crawl or a full resync. */
  isCrawl: boolean
}

export interface Step {
  listed: Listed<Entry>[]
  gone: string[]
  /** Whether this part of the repository is finished. */
  isDone: boolean
}

export const stepOf = (step: Partial<Step>): Step => ({ listed: [], gone: [], isDone: true, ...step })

/** The parts of a repository. Each call runs one step. */
export type Parts = Record<Place['part'], (here: Here) => Promise<Step>>

export function createParts(github: GitHub, session: ProviderSession, itemsPerPage: number): Parts {
  const readTimed = createTimedReader(github, itemsPerPage)
  /** When this run listed an issue, so that its earlier comments need not be read again. */
  const listedAt = new Map<string, number>()

  const commentsOf = (list: 'comments' | 'reviews', path: string) => async (here: Here) => {
    // Issues include their comments.
    if (here.isCrawl) return stepOf({})
    const { found, isDone } = await readTimed(here, list, path, CommentPlace)
    const ids = found.flatMap(({ number, updated_at: at }) => {
      const id = `${here.prefix}issues/${number}`
      return Number.isNaN(number) || (listedAt.get(id) ?? 0) > Date.parse(at) ? [] : id
    })
    return stepOf({ listed: toRead(new Set(ids)), isDone })
  }

  return {
    async issues(here) {
      const { found, isDone } = await readTimed(here, 'issues', 'issues', ListedIssue)
      const listed = found.map(({ number, issue }) => ({
        externalId: `${here.prefix}issues/${number}`,
        entry: { issue },
      }))
      for (const { externalId } of listed) listedAt.set(externalId, github.now())
      return stepOf({ listed, isDone })
    },
    comments: commentsOf('comments', 'issues/comments'),
    reviews: commentsOf('reviews', 'pulls/comments'),
    discussions: createDiscussionsPart(github, session, itemsPerPage),
    files: createFilesPart(github, session, itemsPerPage),
    // Lists do not show deleted or transferred issues: they are the stored issues that are not listed.
    async sweep({ repository, prefix, state, isCrawl }) {
      const begunAt = github.now()
      const pause = Math.max(HOUR_MS, state.sweep.pages * SWEEP_MS_PER_PAGE)
      if (isCrawl || begunAt - state.sweep.at < pause) return stepOf({})
      const there = new Set<string>()
      let pages = 0
      const parameters = { state: 'all', sort: 'created', direction: 'asc' }
      const path = `repos/${repository.full_name}/issues`
      for await (const { data } of github.pages(path, Numbered, parameters)) {
        pages += 1
        for (const { number } of data) there.add(`${prefix}issues/${number}`)
      }
      const missing = (await storedBelow(session, `${prefix}issues/`)).filter((id) => !there.has(id))
      // The rest is for the next run.
      if (missing.length <= SWEPT_MAX) state.sweep = { at: begunAt, pages }
      return stepOf({ listed: toRead(missing.slice(0, SWEPT_MAX)) })
    },
  }
}

const toRead = (ids: Iterable<string>): Listed<Entry>[] =>
  [...ids].map((externalId) => ({ externalId, entry: { issue: null } }))

/**
 * Reads a list from its oldest change. Each request begins at the last time of the previous one, because a change
 * moves its item to the end, which shifts the pages. If a page has only one time, it is requested again with the
 * maximum size; only if that is full are further pages read.
 */
function createTimedReader(github: GitHub, itemsPerPage: number) {
  return async <Schema extends z.ZodType<{ updated_at: string | null }>>(
    { repository, state, place }: Here,
    list: 'issues' | 'comments' | 'reviews',
    path: string,
    schema: Schema,
  ): Promise<{ found: z.output<Schema>[]; isDone: boolean }> => {
    const before = state[list]
    const isFirst = place.since === null && place.address === null
    const since = place.since ?? before.since
    const addressOf = (perPage: number): string => {
      const query = new URLSearchParams({
        sort: 'updated',
        direction: 'asc',
        per_page: String(perPage),
        ...(list === 'issues' && { state: 'all' }),
        ...(since !== null && { since }),
      })
      return `repos/${repository.full_name}/${path}?${query.toString()}`
    }
    const address = place.address ?? addressOf(itemsPerPage)
    const page = await github.page(address, Entries, isFirst ? before.etag : null)
    if (page === null) return { found: [], isDone: true }
    const found = parseKnown(page.data, schema)
    const last = found.findLast(({ updated_at: at }) => at !== null)?.updated_at ?? since
    if (page.next !== null) {
      if (last !== since) Object.assign(place, { since: last, address: null })
      else if (place.address === null) place.address = addressOf(LARGEST_PAGE)
      else place.address = page.next
      return { found, isDone: false }
    }
    const next = last === null ? null : timeBefore(Date.parse(last))
    const isLater = next !== null && (before.since === null || next > before.since)
    // A full page keeps its ETag when another page follows it.
    const etag = isFirst && page.data.length < itemsPerPage ? page.etag : null
    state[list] = isLater ? { since: next, etag: null } : { since: before.since, etag }
    return { found, isDone: true }
  }
}

/**
 * Lists discussions, most recently changed first. There is no list of comments; GitHub updates the time of their
 * discussion instead.
 */
function createDiscussionsPart(
  github: GitHub,
  session: ProviderSession,
  itemsPerPage: number,
): Parts['discussions'] {
  return async ({ repository, prefix, state, place, isCrawl }) => {
    const below = `${prefix}discussions/`
    const idOf = ({ number }: { number: number }): string => below + String(number)
    const begunAt = github.now()
    if (!repository.has_discussions) {
      state.discussions = { since: null, sweptAt: begunAt }
      return stepOf({ gone: isCrawl ? [] : await storedBelow(session, below) })
    }
    const { since, sweptAt } = state.discussions
    const { nodes, next } = await listDiscussions(github, repository, itemsPerPage, place.address)
    // Later changes come before it in the list.
    place.since ??= nodes.find(({ updatedAt }) => updatedAt !== null)?.updatedAt ?? since
    const changed = nodes.filter(({ updatedAt: at }) => since === null || at === null || at >= since)
    if (next !== null && changed.length === nodes.length) {
      place.address = next
      return stepOf({ listed: toRead(changed.map(idOf)), isDone: false })
    }
    state.discussions = { since: place.since && timeBefore(Date.parse(place.since)), sweptAt }
    if (isCrawl || begunAt - sweptAt < HOUR_MS) return stepOf({ listed: toRead(changed.map(idOf)) })
    const there = new Set<string>()
    for await (const page of allDiscussions(github, repository))
      for (const one of page.nodes) there.add(idOf(one))
    const missing = (await storedBelow(session, below)).filter((id) => !there.has(id))
    // The rest is for the next run.
    if (missing.length <= SWEPT_MAX) state.discussions.sweptAt = begunAt
    return stepOf({ listed: toRead(new Set([...changed.map(idOf), ...missing.slice(0, SWEPT_MAX)])) })
  }
}

/** Compares the tree of the default branch with the last one read. */
function createFilesPart(github: GitHub, session: ProviderSession, itemsPerPage: number): Parts['files'] {
  let trees: { repository: number; bySha: Map<string, TreeFiles> } | undefined
  const treeOf = async (repository: Repository, sha: string | null): Promise<TreeFiles> => {
    if (sha === null || sha === '') return new Map()
    if (trees?.repository !== repository.id) trees = { repository: repository.id, bySha: new Map() }
    const files = trees.bySha.get(sha) ?? (await filesOf(github, repository, sha, session.signal))
    trees.bySha.set(sha, files)
    return files
  }

  return async ({ repository, prefix, state, place, isCrawl }) => {
    if (place.sha === null) {
      const head = await headOf(github, repository, state.tree.etag)
      if (head === null) return stepOf({})
      Object.assign(place, head)
    }
    const tree = { sha: place.sha, etag: place.etag }
    if (tree.sha !== state.tree.sha) {
      const now = await treeOf(repository, tree.sha)
      // GitHub may have removed a tree that no branch uses: then every file is read.
      const none: TreeFiles = new Map()
      const before = await treeOf(repository, state.tree.sha).catch(returnIf(isRejected, none))
      const changed = [...now].filter(([path, blob]) => before.get(path) !== blob && path > place.after)
      const next = changed.toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(0, itemsPerPage)
      const listed = next.map(([path, blob]) => ({ externalId: `${prefix}files/${path}`, entry: { blob } }))
      place.after = next.at(-1)?.[0] ?? place.after
      if (next.length < changed.length) return stepOf({ listed, isDone: false })
      state.tree = tree
      // A crawl deletes what it does not see.
      const stored = isCrawl ? [] : await storedBelow(session, `${prefix}files/`)
      return stepOf({ listed, gone: stored.filter((id) => !now.has(id.slice(`${prefix}files/`.length))) })
    }
    state.tree = tree
    return stepOf({})
  }
}
